#pragma once
// The procedures that drivers' tools ask first: what labels, types and properties there are, what serves them, and what
// else they may call. `SHOW PROCEDURES` is `CALL dbms.procedures()`.

#include "queries/cypher/state/procedures.hpp"

#include <functional>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// `db.labels`, `db.relationshipTypes`, `db.propertyKeys`, `dbms.components`, `dbms.procedures`, and those of
/// `catalog/schema_procedures.hpp`. The first three name what nodes and relations of the moment may have. `schemas`: of
/// the records, by their names. `listed` gives all procedures, in the order of their names; it is asked when one is
/// called.
[[nodiscard]] std::vector<queries::cypher::Procedure> catalog_procedures(
    boost::json::object const& schemas, std::function<std::vector<queries::cypher::Procedure const*>()> listed);

}  // namespace whence::net
