#pragma once
// A record as a JSON object, without its text between.

#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <boost/json/object.hpp>

namespace whence::schema::json {

/// How members that are binary64 become values where they are whole: as the text of them reads back, which is an
/// integer, or as what they are.
enum class WholeDoubles : bool { as_read_back, as_doubles };

/// The object that parsing `to_text(record)` gives, number by number, but for `doubles`. Fails with `parse_error` where
/// free data of the record is no JSON.
[[nodiscard]] Result<boost::json::object> to_object(Record const& record,
                                                    WholeDoubles doubles = WholeDoubles::as_read_back);

}  // namespace whence::schema::json
