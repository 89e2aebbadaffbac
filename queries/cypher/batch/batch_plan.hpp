#pragma once
// From the operators below an aggregation to stages: what can be done in batches, and which columns each hands on.

#include "queries/cypher/batch/grouping.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace whence::queries::cypher {

/// The only groups that an ORDER BY with a LIMIT behind can choose: those with the most rows, or with the least.
struct TopByCount {
  SortStep const* sort = nullptr;
  bool is_descending = false;
};

/// An aggregation in batches. The plan outlives it.
struct BatchPlan {
  PlanNode const* argument = nullptr;           ///< what the lowest operator starts from
  std::vector<PlanNode const*> operators = {};  ///< from there to the aggregation
  std::vector<StagePtr> stages = {};            ///< of each operator
  std::unique_ptr<Grouping> grouping = {};      ///< behind the last
  SlotColumns columns;
  SlotFacts facts = {};
  TopByCount top = {};
};

/// Nothing where the aggregation or an operator below it needs rows. `above`: the operators behind it, the next first.
[[nodiscard]] std::optional<BatchPlan> plan_batches(PlanNode const& plan, std::span<PlanNode const* const> above,
                                                    RunState& state);

}  // namespace whence::queries::cypher
