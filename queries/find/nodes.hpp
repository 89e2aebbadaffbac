#pragma once
// node.get, node.find and node.count: nodes by their refs, and nodes of one type by conditions on their fields.

#include "queries/find/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace whence::queries {

/// Nodes in the order of the request or of the search.
struct Nodes {
  std::vector<VertexId> nodes = {};
  std::size_t ordered = std::numeric_limits<std::size_t>::max();  ///< those behind so many are in any order
};

struct NodeCount {
  std::uint64_t count = 0;
};

/// The nodes of `ref` or `refs`, in the order asked for, repeats kept. Fails with `invalid_params` where not exactly
/// one of the two is given, and with `not_found`, naming every unknown ref.
[[nodiscard]] Result<Nodes> node_get(View const& view, NodeGetParams const& params, Budget const& budget);

/// The nodes for which all conditions hold, by the field of the order, nodes without it last, ties by id ascending.
/// Fails with `invalid_params` on a condition or an order that the type cannot have, with `corrupt`, or as the
/// interrupt says. Only `budget.ordered_items` are in order where the order is by id; an answer for a further page is
/// sorted whole and kept, since choosing for each page would make a walk of all pages quadratic. O(nodes of the type);
/// a field that neither a column nor the graph holds costs a read of each record left over.
[[nodiscard]] Result<Nodes> node_find(View const& view, NodeFindParams const& params, Budget const& budget);

/// How many nodes `node_find` would find. Fails as it does.
[[nodiscard]] Result<NodeCount> node_count(View const& view, NodeCountParams const& params, Budget const& budget);

}  // namespace whence::queries
