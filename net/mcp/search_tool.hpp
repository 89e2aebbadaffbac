#pragma once
// The tool `search`: records by the words in their texts.

#include "net/mcp/answer.hpp"

namespace whence::net::mcp {

/// The records that have all words of `text`, those of which they say most first: the method `search`, a page of it.
[[nodiscard]] ToolAnswer search(Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
