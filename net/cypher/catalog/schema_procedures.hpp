#pragma once
// The procedures that give tools the schema: properties with their types, the picture of it, indexes, constraints,
// functions.

#include "net/cypher/catalog/type_properties.hpp"
#include "queries/cypher/state/procedures.hpp"

#include <memory>
#include <vector>

namespace whence::net {

/// `db.schema.nodeTypeProperties`, `db.schema.relTypeProperties`, `db.schema.visualization`, `db.indexes`,
/// `db.constraints`, `dbms.functions`, with the columns of Neo4j 5. All but the last say the types that the moment
/// has nodes and relations of. O(types), but the picture: O(10,000 nodes of each type and their relations) at most.
[[nodiscard]] std::vector<queries::cypher::Procedure> schema_procedures(
    std::shared_ptr<TypeProperties const> properties);

}  // namespace whence::net
