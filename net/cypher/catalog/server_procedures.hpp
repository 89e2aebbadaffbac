#pragma once
// What tools of Neo4j ask of a server before anything else: its databases, who they are, its settings, whether it
// answers.

#include "queries/cypher/state/procedures.hpp"

#include <vector>

namespace whence::net {

/// `dbms.databases` (`SHOW DATABASES`), `dbms.currentUser` (`SHOW CURRENT USER`), `dbms.showCurrentUser`,
/// `dbms.clientConfig`, `db.ping`, with the columns of Neo4j 5. Databases and the user are those of the caller that the
/// run names (over Bolt); without one there are no rows. Unknown values are null.
[[nodiscard]] std::vector<queries::cypher::Procedure> server_procedures();

}  // namespace whence::net
