#pragma once
// The names that a query of records may use and find something.

#include "queries/cypher/base/names.hpp"

namespace whence::net {

/// Labels, relation types and properties of the schema, with those that the graph adds ("Node", "INFLUENCES", "ref").
/// Made when it is first asked for; any thread may use it.
[[nodiscard]] queries::cypher::NameCatalog const& known_names();

}  // namespace whence::net
