#pragma once
// The tools that walk lineage: `why`, `impact`, `cite`, `diff`, `blame`, `without`,
// `replay_plan`, `stale`.

#include "net/mcp/answer.hpp"

namespace whence::net::mcp {

/// The tree of what `ref` was made from.
[[nodiscard]] ToolAnswer why(Call const& call, boost::json::object const& arguments);

/// What was made from `refs`, by share, a page at a time.
[[nodiscard]] ToolAnswer impact(Call const& call, boost::json::object const& arguments);

/// The sources of an answer by their share, and its own citations.
[[nodiscard]] ToolAnswer cite(Call const& call, boost::json::object const& arguments);

/// How two records differ in what they were made from and in what they say, or one between two moments.
[[nodiscard]] ToolAnswer diff(Call const& call, boost::json::object const& arguments);

/// Whom bad answers rest on more often than others.
[[nodiscard]] ToolAnswer blame(Call const& call, boost::json::object const& arguments);

/// What answers would lose without `refs`.
[[nodiscard]] ToolAnswer without(Call const& call, boost::json::object const& arguments);

/// Which calls would have to be made again without `refs`, and with what.
[[nodiscard]] ToolAnswer replay_plan(Call const& call, boost::json::object const& arguments);

/// Which sources changed since, and which answers rest on what changed.
[[nodiscard]] ToolAnswer stale(Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
