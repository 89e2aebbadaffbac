#pragma once
// The weight of a relation, which multiplies along paths.

#include "queries/cypher/values/property_graph.hpp"

namespace whence::queries::cypher {

/// Its property `weight`; 1 where it has none, or no number.
[[nodiscard]] inline double weight_of(Relation const& relation) {
  auto const value = relation.graph->relation_property(relation, "weight");
  return value.is_number() ? value.number() : 1.0;
}

}  // namespace whence::queries::cypher
