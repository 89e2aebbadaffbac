// Truncation of moments to a unit.
#include "queries/cypher/functions/moment_map.hpp"
#include "queries/cypher/values/calendar.hpp"

namespace whence::queries::cypher::functions {
namespace {

/// The first day of the unit that holds `days`; none where the unit is one of the clock or unknown.
std::optional<std::int64_t> truncated_day(std::string_view unit, std::int64_t days) {
  auto const date = civil_of(days);
  auto const first = [](std::int64_t year, std::int64_t month = 1) {
    return days_of(CivilDate{.year = year, .month = month, .day = 1});
  };
  if (unit == "millennium") return first(floor_div(date.year, 1000) * 1000);
  if (unit == "century") return first(floor_div(date.year, 100) * 100);
  if (unit == "decade") return first(floor_div(date.year, 10) * 10);
  if (unit == "year") return first(date.year);
  if (unit == "weekYear") return days_of(WeekDate{.year = week_of(days).year, .week = 1, .day = 1});
  if (unit == "quarter") return first(date.year, (date.month - 1) / 3 * 3 + 1);
  if (unit == "month") return first(date.year, date.month);
  if (unit == "week") return days - (week_of(days).day - 1);
  if (unit == "day") return days;
  return std::nullopt;
}

/// The length of a unit of the clock in nanoseconds; 0 for another unit.
std::int64_t clock_unit(std::string_view unit) {
  if (unit == "hour") return 3600 * nanos_per_second;
  if (unit == "minute") return 60 * nanos_per_second;
  if (unit == "second") return nanos_per_second;
  if (unit == "millisecond") return 1'000'000;
  if (unit == "microsecond") return 1000;
  return 0;
}

/// The units of a value with such parts, largest first.
std::string units_of(bool has_date, bool has_time) {
  std::string units = has_date ? "millennium, century, decade, year, weekYear, quarter, month, week, day" : "day";
  if (has_time) units += ", hour, minute, second, millisecond, microsecond";
  return units;
}

Value wrong_unit(FunctionCall const& call, std::string_view unit, bool has_date, bool has_time) {
  return call.state.fail(ErrorKind::argument_error, "InvalidArgumentValue",
                         std::string{call.name} + "() does not know the unit '" + std::string{unit.substr(0, 50)} +
                             "' for this value, only " + units_of(has_date, has_time),
                         call.place);
}

}  // namespace

Value truncate(FunctionCall const& call) {
  auto const type = *temporal_type_of(call.name);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].is_null()) return {};
  }
  auto const* unit = call.arguments[0].find_text();
  if (unit == nullptr) return wrong_argument(call, call.arguments[0]);
  std::optional<MomentParts> parts;
  if (call.arguments.size() > 1) {
    parts = parts_of(call.arguments[1]);
    if (!parts) return wrong_argument(call, call.arguments[1]);
  } else {
    parts = parts_of(
        Value{DateTime{.seconds = call.state.environment().now_seconds, .nanos = call.state.environment().now_nanos}});
  }
  bool const has_date = parts->days.has_value();
  bool const has_time = parts->nanos && type != ValueType::date;
  if (auto const length = clock_unit(*unit); length != 0) {
    if (!has_time) return wrong_unit(call, *unit, has_date, has_time);
    parts->nanos = *parts->nanos - *parts->nanos % length;
  } else {
    auto const day = truncated_day(*unit, parts->days.value_or(0));
    bool const is_day_of_time = *unit == "day" && !parts->days;
    if (!day || (!has_date && !is_day_of_time)) return wrong_unit(call, *unit, has_date, has_time);
    if (parts->days) parts->days = day;
    parts->nanos = 0;
  }
  static Map const nothing;
  auto const* map = &nothing;
  if (call.arguments.size() > 2) {
    map = call.arguments[2].find_map();
    if (map == nullptr) return wrong_argument(call, call.arguments[2]);
  }
  return moment_from_map(call, type, *map, parts);
}

}  // namespace whence::queries::cypher::functions
