#pragma once
// All procedures that a query may call: the read methods of the method table, and those that tools ask first.

#include "queries/cypher/state/procedures.hpp"

namespace whence::net {

/// Made from the method table when it is first asked for; the same for every service and every thread. A method of the
/// table that is no procedure is refused by its name, with the reason; an unknown name with the most similar one.
[[nodiscard]] queries::cypher::Procedures const& cypher_procedures();

}  // namespace whence::net
