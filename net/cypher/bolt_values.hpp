#pragma once
// Values of openCypher as Bolt has them, in both directions.

#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/bolt/packstream/writer.hpp"
#include "net/cypher/row_bound.hpp"
#include "queries/cypher/base/error.hpp"
#include "queries/cypher/query.hpp"
#include "queries/cypher/values/value.hpp"

#include <string_view>
#include <vector>

namespace whence::net {

/// Parameters of a statement. Fails with `type_error` for bytes, which openCypher does not have. `zones` gives a date
/// and time in a named zone its offset; a zone that is not known is `argument_error`.
[[nodiscard]] bolt::Outcome<queries::cypher::Map> cypher_parameters(bolt::Map const& parameters,
                                                                    queries::cypher::Zones const& zones);

/// Writes one value. The graph of its nodes must be there. The element id of a node is its ref. Where `bound` ends it,
/// what was written is no value.
void write_bolt(bolt::PackWriter& out, queries::cypher::Value const& value, RowBound& bound);

/// The code and text of a failed query.
[[nodiscard]] bolt::Failure bolt_failure(queries::cypher::QueryError const& error);

/// What the summary of a result says as `notifications`. `text` is that of the query.
[[nodiscard]] bolt::List bolt_notifications(std::vector<queries::cypher::Notice> const& notices, std::string_view text);

/// The plan as the summary of a result has it, `plan` or (with the rows of each operator) `profile`.
[[nodiscard]] bolt::Value bolt_plan(std::vector<queries::cypher::PlanLine> const& plan);

}  // namespace whence::net
