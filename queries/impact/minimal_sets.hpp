#pragma once
// The least sets of sources whose removal leaves a response or an answer without support.

#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/edge_type.hpp"

#include <vector>

namespace whence::queries {

/// Members a set has at most.
inline constexpr std::size_t set_members_max = 3;
/// Sets that are found for one node at most.
inline constexpr std::size_t sets_max = 32;

struct MinimalSets {
  std::vector<std::vector<VertexId>> sets = {};  ///< smaller ones first, then by ref; members by ref
  bool are_all = true;  ///< false where there may be further sets of at most `set_members_max` members
};

/// The sets of at most `set_members_max` sources without which `answer` falls, and none of whose subsets does that. A
/// node falls where it has evidence among its causes and all of that is taken away or has fallen. Only edges of
/// `edge_types` are walked. At most `sets_max` sets are kept at each node on the way. Fails with `corrupt`, or as the
/// interrupt says. O(ancestors), and some thousand steps for each of their edges.
[[nodiscard]] Result<MinimalSets> minimal_sets(View const& view, VertexId answer, Budget const& budget,
                                               schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all());

}  // namespace whence::queries
