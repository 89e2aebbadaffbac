#pragma once
// The tool `record`: an answer of a model, with its sources.

#include "net/mcp/answer.hpp"

namespace whence::net::mcp {

/// Writes a response with its sources; answers with its ref.
[[nodiscard]] ToolAnswer record(Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
