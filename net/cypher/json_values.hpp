#pragma once
// Values of openCypher as JSON text.

#include "net/cypher/row_bound.hpp"
#include "queries/cypher/values/value.hpp"
#include "schema/json/writer.hpp"

namespace whence::net {

/// Writes one value. A node is `{ref, labels, properties}`, a relation `{type, from, to, properties}` with refs, a path
/// `{nodes, relations}`; dates, times and durations are texts of ISO 8601; numbers that JSON lacks are null. The graph
/// of its nodes must be there. Where `bound` ends it, what was written is no JSON.
void write_json(schema::json::Writer& out, queries::cypher::Value const& value, RowBound& bound);

}  // namespace whence::net
