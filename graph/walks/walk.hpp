#pragma once
// Bounded walks along influence: who is reached, how near, how strongly, with what share. Deleted vertices are
// never reached or walked through; from a deleted start nothing is reached.

#include "graph/boost/limits.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace whence::graph {

/// Who was reached. Starts are not among `vertices` unless another start reaches them.
struct Reach {
  std::vector<VertexId> vertices;  ///< nearest first; inside a layer in no order to rely on
  std::vector<std::uint32_t>
      layer_ends;                   ///< vertices at depth d are [layer_ends[d-2], layer_ends[d-1]), depth 1 from 0
  bool is_cut_by_depth = false;     ///< something lies beyond the depth
  bool is_cut_by_vertices = false;  ///< `vertices_max` was hit; the last layer is incomplete

  [[nodiscard]] std::uint32_t depth_of(std::size_t position) const;  ///< O(log layers)
};

/// Breadth-first from all `starts` together. Each vertex appears once, at its least depth. Fails with `cancelled`,
/// `deadline_exceeded` or `busy` (a slice too long) as `interrupt` says. Time O(V + E) of the part visited.
[[nodiscard]] Result<Reach> reach(Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction,
                                  WalkLimits const& limits, schema::Interrupt const& interrupt);

/// For each vertex of `reach.vertices`, the largest product of path weights over all paths from `start` of at most
/// `limits.depth` edges of the walked types, an edge without weight counting 1. Parallel to `reach.vertices`, which is
/// what `reach` gave for the same arguments. O(V + E) of the part reached where the depth bounds nothing, else that
/// times the depth at most. Fails as `reach` does.
[[nodiscard]] Result<std::vector<double>> strongest_weights(Snapshot const& snapshot, VertexId start,
                                                            Direction direction, WalkLimits const& limits,
                                                            Reach const& reach, schema::Interrupt const& interrupt);

/// For each vertex of `reach.vertices`, its share (graph/README.md), 0 to 1: the sum of the products of shares along
/// all paths, of at least one edge of the walked types, the mean over the starts. A start named twice counts once, a
/// deleted one not at all. Parallel to `reach.vertices`; a full reach (neither cut) is expected, from one that was cut
/// paths are missing. O(V + E) of the part reached and of the causes of its vertices. Fails as `reach`.
[[nodiscard]] Result<std::vector<double>> path_shares(Snapshot const& snapshot, std::span<VertexId const> starts,
                                                      Direction direction, WalkLimits const& limits, Reach const& reach,
                                                      schema::Interrupt const& interrupt);

/// A relation that carries no influence because it would have closed a cycle of influence, in its stored direction.
struct CutRelation {
  VertexId from;
  VertexId to;
  EdgeId edge;
};

struct CutRelations {
  std::vector<CutRelation> relations;  ///< each once, by edge
  bool lead_beyond = false;            ///< one leads to what the walk did not reach
};

/// Whether there is any. O(log transactions).
[[nodiscard]] bool has_cut_relations(Snapshot const& snapshot);

/// Those that a walk met at its starts and at what it reached nearer than its depth, of the walked types. `reach` is
/// what `reach` gave for the same arguments. O(1) where the graph has no such relation, else O(relations of what was
/// reached). Fails as `reach` does.
[[nodiscard]] Result<CutRelations> cut_relations(Snapshot const& snapshot, std::span<VertexId const> starts,
                                                 Direction direction, WalkLimits const& limits, Reach const& reach,
                                                 schema::Interrupt const& interrupt);

/// One influence path, cause first.
struct Path {
  double weight = 1;
  std::vector<VertexId> vertices;
  std::vector<EdgeId> edges;  ///< one fewer than vertices
};

enum class PathKind : std::uint8_t { strongest, shortest, all };
constexpr std::array<std::string_view, 3> enum_names(PathKind) noexcept {
  return {"strongest", "shortest", "all"};
}

/// `is_cut`: more paths than the limit exist.
struct Paths {
  std::vector<Path> paths;
  bool is_cut = false;
};

/// The first `limit` influence paths from cause `from` to effect `to`; none where there is no path or `from` is `to`.
/// Two edges between the same two vertices make two paths. Order: by weight, highest first, then fewer edges, for
/// `strongest` and `all`; fewer edges, then weight for `shortest`; then by the refs along the path as text, then by
/// edge ids. Weights that differ by less than about 1e-12 of themselves count as equal, since products of the same
/// numbers in another order may. Time O(V + E) between the two plus O(paths found * their length * edges met), memory
/// alike, however many paths there are. Fails as `reach` does.
[[nodiscard]] Result<Paths> find_paths(Snapshot const& snapshot, VertexId from, VertexId to, PathKind kind,
                                       std::size_t limit, schema::Interrupt const& interrupt,
                                       schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all());

/// An influence edge among numbered things, to be checked before it is written.
struct ProposedEdge {
  std::uint32_t cause;
  std::uint32_t effect;
};

/// The numbers (ascending) that lie on a cycle of `edges` over 0..count-1; empty where there is none. O(count + edges).
[[nodiscard]] std::vector<std::uint32_t> find_cycle(std::uint32_t count, std::span<ProposedEdge const> edges);

/// Whether influence leads from `cause` to `effect` (true for equal ones). O(V + E) of the ancestors of `effect`.
[[nodiscard]] bool influences(Snapshot const& snapshot, VertexId cause, VertexId effect);

}  // namespace whence::graph
