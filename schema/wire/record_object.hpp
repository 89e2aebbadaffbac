#pragma once
// A record as a JSON object, without its text between.

#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <boost/json/object.hpp>

namespace whence::schema::json {

/// The object that parsing `to_text(record)` gives, number by number. Fails with `parse_error` where free data of the
/// record is no JSON.
[[nodiscard]] Result<boost::json::object> to_object(Record const& record);

}  // namespace whence::schema::json
