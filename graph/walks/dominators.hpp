#pragma once
// What every path passes through: dominators in the part of the graph that a walk has reached.

#include "graph/walks/walk.hpp"

#include <optional>
#include <span>
#include <vector>

namespace whence::graph {

/// The vertices that every influence path from cause `from` to effect `to` passes through, in the order in which a path
/// meets them, without the two ends. Empty where there is no path or `from` is `to`. O(V log V + E) of the part between
/// the two and of the ancestors of `to`. Fails as `reach` does.
[[nodiscard]] Result<std::vector<VertexId>> dominators_between(
    Snapshot const& snapshot, VertexId from, VertexId to, schema::Interrupt const& interrupt,
    schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all());

/// For each vertex of `reach.vertices`, its nearest dominator: the last vertex, itself and the starts excepted, that
/// every path from a start to it passes through; nothing where there is none, and for a start. Parallel to
/// `reach.vertices`, which is what `reach` gave for the same arguments. Where that was cut by depth, paths are those
/// inside the part reached, longer ones among them. O(E log V) at worst. Fails as `reach` does.
[[nodiscard]] Result<std::vector<std::optional<VertexId>>> nearest_dominators(
    Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction, WalkLimits const& limits,
    Reach const& reach, schema::Interrupt const& interrupt);

}  // namespace whence::graph
