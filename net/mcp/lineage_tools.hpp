#pragma once
// The tools that walk lineage: `why`, `impact`, `cite`, `compare`.

#include "net/mcp/answer.hpp"

namespace whence::net::mcp {

/// The tree of what `ref` was made from.
[[nodiscard]] ToolAnswer why(Call const& call, boost::json::object const& arguments);

/// What was made from `refs`, by share, a page at a time.
[[nodiscard]] ToolAnswer impact(Call const& call, boost::json::object const& arguments);

/// The sources of an answer by their share, and its own citations.
[[nodiscard]] ToolAnswer cite(Call const& call, boost::json::object const& arguments);

/// How what `ref` was made from differs between the moments `before` and `after`.
[[nodiscard]] ToolAnswer compare(Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
