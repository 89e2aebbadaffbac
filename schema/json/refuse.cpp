// The value at fault as text.
#include "schema/json/refuse.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"

#include <utility>

namespace whence::schema::json {

void refuse(boost::json::value const& value, std::string_view rule, Path const& at, Report& report,
            std::string message) {
  auto const text = to_text(value);
  bool const is_whole_text = value.is_string() && text.size() <= limits::seen_bytes_max;
  report.add(at, rule, is_whole_text ? shown(std::string_view{value.get_string()}) : text, std::move(message));
}

}  // namespace whence::schema::json
