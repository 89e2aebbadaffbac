#pragma once
// node.neighbors: what is one edge away from a node, counted in full, listed or grouped.

#include "queries/find/params.hpp"
#include "queries/find/predicate.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/edge_type.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// A neighbour and the edges that lead to it.
struct Neighbor {
  VertexId vertex{0};
  std::uint64_t edge_types = 0;       ///< bit n: the type of number n
  std::optional<double> weight = {};  ///< the largest, where an edge of it carries one
};

/// Calls `visit(type)` for each type of `edge_types`, in the order of their numbers.
template <class Visit>
void for_each_edge_type(std::uint64_t edge_types, Visit const& visit) {
  for (; edge_types != 0; edge_types &= edge_types - 1) {
    visit(static_cast<schema::EdgeType>(std::countr_zero(edge_types)));
  }
}

/// How many neighbours have one value. Without a value: those that have none.
struct NeighborGroup {
  std::optional<OwnedValue> value;
  std::uint64_t count;
};

struct Neighbors {
  std::uint64_t total = 0;
  std::vector<Neighbor> nodes = {};  ///< in order; none where groups were asked for
  /// Largest first, then by value. A neighbour with several values is in the group of each.
  std::optional<std::vector<NeighborGroup>> groups = {};
  std::uint64_t other = 0;           ///< the sum of the groups beyond the limit
  ValueKind kind = ValueKind::text;  ///< of the groups' values
};

/// At most `limit` groups; nodes without a limit. Fails with `not_found` at "/ref", with `invalid_params`, with
/// `corrupt`, or as the interrupt says. O(n log n) of the neighbours; a field that the graph does not hold costs a read
/// of the record of each.
[[nodiscard]] Result<Neighbors> node_neighbors(View const& view, NodeNeighborsParams const& params, std::uint32_t limit,
                                               Budget const& budget);

/// The nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(Neighbors const& found);

}  // namespace whence::queries
