// The value at fault as text.
#include "schema/json/refuse.hpp"

#include "schema/json/json.hpp"

#include <utility>

namespace whence::schema::json {

void refuse(boost::json::value const& value, std::string_view rule, Path const& at, Report& report,
            std::string message) {
  report.add(at, rule, to_text(value), std::move(message));
}

}  // namespace whence::schema::json
