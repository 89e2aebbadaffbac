#include "queries/cypher/evaluate/path_bounds.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"

#include <algorithm>
#include <limits>

namespace whence::queries::cypher {

std::uint64_t least_of(RelationPattern const& relation) {
  if (!relation.is_variable) return 1;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(relation.least.value_or(1), 0));
}
std::uint64_t most_of(RelationPattern const& relation) {
  if (!relation.is_variable) return 1;
  return relation.most ? static_cast<std::uint64_t>(std::max<std::int64_t>(*relation.most, 0))
                       : std::numeric_limits<std::uint64_t>::max();
}

bool expected_of(RelationPattern const& relation, Row& row, RunState& state, Map& expected) {
  expected.clear();
  if (relation.properties == nullptr) return true;
  auto const value = evaluate(*relation.properties, row, state);
  if (value.find_map() == nullptr) return false;
  expected = *value.find_map();
  return true;
}

}  // namespace whence::queries::cypher
