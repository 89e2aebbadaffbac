#pragma once
// Members that a record type does not have, kept as free data where a record is captured.

#include "schema/records/check.hpp"

namespace whence::schema::json {

/// Moves the unknown members of `incoming` into its `attributes`, each under its path without the leading slash
/// ("score", "metadata/author"), with `_` behind it while that name is taken, and withdraws their violations. Flags the
/// record `unknown_members`. The largest are left out while the attributes would be larger than they may be; flag
/// `members_dropped`. A record whose type has no flags keeps its violations where not all of them fit.
void take_unknown(IncomingRecord& incoming);

}  // namespace whence::schema::json
