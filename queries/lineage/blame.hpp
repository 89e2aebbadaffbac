#pragma once
// impact.blame: for a set of badly rated responses and answers, their context units, chunks and documents, ranked by
// their share in the set.

#include "graph/walks/walk.hpp"
#include "queries/incomplete.hpp"
#include "queries/lineage/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <vector>

namespace whence::queries {

/// A unit, chunk or document and its part in the responses of a set.
struct BlamedUnit {
  VertexId vertex;
  std::uint32_t responses;  ///< how many of the set it influences
  double share;             ///< the mean of its shares in the set, 0 to 1: its blame
};

struct Blame {
  std::vector<BlamedUnit> units = {};        ///< in the order asked for, then ref
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// The set is `responses`, of these those with a mean score below `score_below` where it is given; all responses and
/// answers where only that is given. The two halves of an act count as one. Fails with `invalid_params` ("required" at
/// "/responses" where neither is given, "type" at what is neither), with `not_found`, or as the interrupt says.
/// O(ceil(responses / 256) * E) of the part reached.
[[nodiscard]] Result<Blame> impact_blame(View const& view, BlameParams const& params, Budget const& budget);

}  // namespace whence::queries
