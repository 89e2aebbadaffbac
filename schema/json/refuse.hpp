#pragma once
// A violation that shows the JSON value at fault.

#include "schema/base/report.hpp"

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace whence::schema::json {

/// Adds a violation that shows `value` as compact JSON, cut; a text that is whole as `shown` gives it.
void refuse(boost::json::value const& value, std::string_view rule, Path const& at, Report& report,
            std::string message);

}  // namespace whence::schema::json
