#pragma once
// The stage of an expansion whose two ends both are known: it looks for the relations between them.

#include "queries/cypher/batch/batch.hpp"

namespace whence::queries::cypher {

struct IntoColumns {
  Column from;
  Column target;
  Column relation;
  std::vector<Column> others;  ///< relations of the same match
};

/// `only_counts`: a row has the number of its relations as its weight, and not them.
[[nodiscard]] StagePtr make_into(PlanNode const& plan, RunState& state, IntoColumns columns, bool only_counts);

}  // namespace whence::queries::cypher
