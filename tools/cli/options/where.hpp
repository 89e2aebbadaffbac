#pragma once
// Conditions as typed on the command line: `agent=claude`, `score<-0.5`, `source^=memory:`.

#include "schema/base/error.hpp"
#include "schema/types/record_type.hpp"

#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Adds one condition `FIELD OP VALUE` to `where`, the member of that name of `node.find`'s params. OP is one of
/// `=` (eq; with a JSON array as VALUE: in), `^=` (prefix), `*=` (contains), `<`, `<=`, `>`, `>=`. Spaces around OP are
/// left out. VALUE is a time where the field is one, also a date, today, yesterday, now or -2h for the last four: `>=`
/// and `<` then mean the begin of a day (UTC), `>` and `<=` its end. It is a number where `type`'s field is one (or
/// `score`, `feedback_count`, `tx`), else it is text, taken literally; a VALUE in double quotes is a JSON string. Fails
/// with `invalid_params` on a missing OP, an empty FIELD, text where a number is required, or an operator given twice
/// for a field.
[[nodiscard]] Result<void> add_condition(boost::json::object& where, schema::RecordType type, std::string_view text);

}  // namespace whence::tools
