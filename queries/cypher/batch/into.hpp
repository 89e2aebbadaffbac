#pragma once
// Relations between two nodes that both are known.

#include "queries/cypher/batch/batch.hpp"

namespace whence::queries::cypher {

struct IntoColumns {
  Column from;
  Column target;
  Column relation;
  std::vector<Column> others;  ///< relations of the same match
};

[[nodiscard]] StagePtr make_into(PlanNode const& plan, RunState& state, IntoColumns columns, bool only_counts);

}  // namespace whence::queries::cypher
