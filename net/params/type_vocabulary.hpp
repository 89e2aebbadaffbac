#pragma once
// The vocabulary of types in the OpenRPC document: what a client needs to know about record and edge types to show and
// search records of any type, without a list of its own.

#include "schema/json/writer.hpp"

namespace whence::net {

/// Writes the member `x-whence-types` into the open object: `{records: [...], edges: [...]}`, from the catalogues of
/// schema/. A record type has `name`, `label` and `family` (for people), `label_members` (the first that a record has
/// names it), `search_members` (further members to search for text), `time_member` (null: it has none of its own) and
/// `is_node`. An edge type has `name`, `label`, and `influence`, seen from the stored direction: "along", "against" or
/// "none"; `influence_from` names the types of `from` records for which it differs.
void write_types(schema::json::Writer& out);

}  // namespace whence::net
