#pragma once
// The tool `search`: records by the words in their texts.

#include "net/mcp/answer.hpp"

namespace whence::net::mcp {

/// The records that have all words of `text` in one of their texts, those of answers first. Looks through every record
/// of the types that are asked for: O(bytes of their texts), 3 s a text at most, after which the answer says that it is
/// not complete.
[[nodiscard]] ToolAnswer search(Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
