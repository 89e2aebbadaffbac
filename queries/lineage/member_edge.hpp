#pragma once
// The edges of a result: those among its nodes, in the order of their ends' refs.

#include "graph/walks/walk.hpp"
#include "queries/view/stored_edge.hpp"
#include "queries/view/vertex_map.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries {

/// An edge whose ends are members of a result.
struct MemberEdge {
  StoredEdge stored;
  std::uint32_t from_place;  ///< in the members of the result
  std::uint32_t to_place;
};

/// Which edges are wanted: those that lead from `sources` (members of the result) in `direction`.
struct EdgeWalk {
  std::span<VertexId const> sources;
  graph::Direction direction = graph::Direction::ancestors;
  schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all();
  bool has_relations = false;   ///< besides, every edge without influence that is stored as from a source
  bool has_cut_cycles = false;  ///< besides, of those edges the ones that a cycle of influence cut
};

/// The edges of `walk` that end at one of `members`, ordered by from, to (both by ref) and type name. `places` numbers
/// `members`. Time O(edges of the sources + n log n); fails as the interrupt says.
[[nodiscard]] Result<std::vector<MemberEdge>> edges_among(Snapshot const& snapshot, std::span<VertexId const> members,
                                                          VertexMap const& places, EdgeWalk const& walk,
                                                          schema::Interrupt const& interrupt);

}  // namespace whence::queries
