#pragma once
// lineage.diff: how the ancestry of one node differs from another's, or from its own at another moment.

#include "graph/walks/walk.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/lineage/word_difference.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// A node that both sides have, with its weights.
struct Reweighted {
  VertexId vertex;
  double before;
  double after;
};

/// Two versions of one thing: the newest that each side has.
struct OtherVersion {
  VertexId before;
  VertexId after;
  std::optional<WordDifference> text = {};  ///< of their contents, where both have one
};

/// A source of both prompts, at another place among the sources that both have.
struct Moved {
  VertexId vertex;
  std::uint32_t before;  ///< from 1
  std::uint32_t after;
};

/// Each list by ref. Vertices are those of the view, also where the sides are earlier moments.
struct LineageDifference {
  std::vector<RankedNode> added = {};        ///< as of the second side
  std::vector<RankedNode> removed = {};      ///< as of the first side
  std::vector<Reweighted> reweighted = {};   ///< of `common`
  std::vector<Reweighted> common = {};       ///< all that both have
  std::vector<OtherVersion> versions = {};   ///< by the first's ref; the texts of the first `compared_texts_max`
  std::vector<Moved> moved = {};             ///< in the order of the second prompt; none where the order is the same
  std::optional<WordDifference> text = {};   ///< of what the two say, where both say something
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  std::vector<GoneNode> gone = {};           ///< the sides that say nothing any more
  Incomplete incomplete = Incomplete::no;
};

/// Versions whose texts are compared.
inline constexpr std::size_t compared_texts_max = 20;

/// Compares the ancestors of `a` with those of `b`, or those of `ref` at `as_of_a` with those at `as_of_b`. Included
/// parts are shown as of the answer's `tx`, also for nodes compared at earlier moments. The moments are resolved
/// against `view`: a number above its transaction is refused. Fails with `invalid_params` ("required", "one_of",
/// "range"), with `not_found`, with `corrupt`, or as the interrupt says.
[[nodiscard]] Result<LineageDifference> lineage_diff(View const& view, LineageDiffParams const& params,
                                                     Budget const& budget);

}  // namespace whence::queries
