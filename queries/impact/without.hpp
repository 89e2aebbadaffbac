#pragma once
// impact.without: what the responses and answers would lose if some nodes had not been there.

#include "graph/walks/walk.hpp"
#include "queries/impact/minimal_sets.hpp"
#include "queries/impact/params.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// A response or an answer that rests on what is taken away; an act once, as its response.
struct AffectedAnswer {
  VertexId vertex;
  std::uint32_t depth;                   ///< least number of edges from what is taken away
  bool is_lost;                          ///< no other source of a kind is left to it
  double lost;                           ///< the part of it that goes, above 0; 1 where it is lost
  std::optional<MinimalSets> sets = {};  ///< where they were asked for, and found within the bound of steps
};

/// Answers whose sets are looked for at most: the first of them.
inline constexpr std::size_t answers_with_sets_max = 100;

/// Something between: a result that falls, and is no response or answer.
struct FallenNode {
  VertexId vertex;
  std::uint32_t depth;
};

/// Another source of the affected answers that stays.
struct Alternative {
  VertexId vertex;
  std::uint32_t answers;  ///< how many of the affected answers rest on it
  double share;           ///< the mean of its shares in all affected answers
};

struct Without {
  std::vector<VertexId> starts = {};
  std::vector<AffectedAnswer> answers = {};  ///< those that are lost first, then by what goes, largest first, then ref
  std::vector<FallenNode> fallen = {};       ///< by depth, then ref
  /// By answers, then share, largest first, then ref; nothing where they were not asked for.
  std::optional<std::vector<Alternative>> alternatives = {};
  std::uint64_t lost = 0;
  std::uint64_t weakened = 0;
  std::uint64_t untouched = 0;  ///< responses and answers that are neither
  bool has_all_alternatives = true;
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Fails with `not_found` at each unknown "/refs/N", or as the interrupt says. O(V + E) of the part reached and its
/// causes; the alternatives and the sets cost the ancestors of each affected answer, each as far as a bound of steps
/// goes.
[[nodiscard]] Result<Without> impact_without(View const& view, WithoutParams const& params, Budget const& budget);

}  // namespace whence::queries
