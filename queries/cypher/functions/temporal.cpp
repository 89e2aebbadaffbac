// Making temporal values: from texts, from maps of parts, from other temporal values, from the run's clock.
#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/functions/moment_map.hpp"
#include "queries/cypher/values/calendar.hpp"
#include "queries/cypher/values/duration.hpp"
#include "queries/cypher/values/moment_parts.hpp"

#include <algorithm>
#include <array>

namespace whence::queries::cypher::functions {
namespace {

struct TemporalName {
  std::string_view name;
  ValueType type;
};

constexpr std::array<TemporalName, 5> temporal_names = {{{"date", ValueType::date},
                                                         {"localtime", ValueType::local_time},
                                                         {"time", ValueType::time},
                                                         {"localdatetime", ValueType::local_date_time},
                                                         {"datetime", ValueType::date_time}}};

Value malformed(FunctionCall const& call, std::string_view text) {
  return call.state.fail(ErrorKind::argument_error, "InvalidArgumentValue",
                         "'" + std::string{text.substr(0, 100)} + "' is no text of " + std::string{call.name} + "()",
                         call.place);
}

/// The run's moment, at UTC.
MomentParts now(FunctionCall const& call) {
  auto const& environment = call.state.environment();
  return *parts_of(Value{DateTime{.seconds = environment.now_seconds, .nanos = environment.now_nanos}});
}

/// The run's moment in the zone that a text names: `date.transaction('Europe/Stockholm')`.
Value now_in_zone(FunctionCall const& call, ValueType type, std::string_view zone_text) {
  MomentParts zone;
  if (!parse_zone_text(zone_text, zone)) return malformed(call, zone_text);
  auto const& environment = call.state.environment();
  if (!zone.zone.empty()) {
    auto const* rules = environment.zones != nullptr ? environment.zones->find(zone.zone) : nullptr;
    if (rules == nullptr) return malformed(call, zone_text);
    zone.offset = rules->offset_at(environment.now_seconds);
  }
  auto parts = *parts_of(Value{DateTime{
      .seconds = environment.now_seconds, .nanos = environment.now_nanos, .offset = *zone.offset, .zone = zone.zone}});
  return value_of(parts, type);
}

bool is_clock(std::string_view name) {
  return name.ends_with(".transaction") || name.ends_with(".statement") || name.ends_with(".realtime");
}

/// A number of the map, whose values are numbers or null.
long double part_of(Map const& map, std::string_view name) {
  auto const found = map.find(name);
  if (found == map.end() || found->second.is_null()) return 0;
  if (auto const* whole = found->second.find_integer()) return static_cast<long double>(*whole);
  return static_cast<long double>(*found->second.find_double());
}

}  // namespace

std::optional<ValueType> temporal_type_of(std::string_view name) {
  name = name.substr(0, name.find('.'));
  for (auto const& each : temporal_names) {
    if (each.name == name) return each.type;
  }
  return std::nullopt;
}

Value make_temporal(FunctionCall const& call) {
  auto const type = *temporal_type_of(call.name);
  if (call.arguments.empty()) return value_of(now(call), type);
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (auto const* text = value.find_text()) {
    if (is_clock(call.name)) return now_in_zone(call, type, *text);
    auto parts = parse_moment(*text, type);
    auto const* zones = call.state.environment().zones;
    if (!parts || !settle_offset(*parts, zones)) return malformed(call, *text);
    if (type == ValueType::date_time && !is_offset_of_zone(*parts, zones)) {
      return call.state.fail(ErrorKind::argument_error, "InvalidArgumentValue",
                             "the clock of " + parts->zone.substr(0, 50) + " has another offset at that moment",
                             call.place);
    }
    return value_of(*parts, type);
  }
  if (auto const* map = value.find_map()) return moment_from_map(call, type, *map, {});
  auto const parts = parts_of(value);
  if (!parts) return wrong_argument(call, value);
  bool const needs_date = type == ValueType::date || type == ValueType::local_date_time || type == ValueType::date_time;
  if (needs_date && !parts->days) return wrong_argument(call, value);
  if (type != ValueType::date && !needs_date && !parts->nanos) return wrong_argument(call, value);
  return value_of(*parts, type);
}

Value make_duration_value(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null() || value.find_duration() != nullptr) return value;
  if (auto const* text = value.find_text()) {
    auto const parsed = parse_duration(*text);
    return parsed ? Value{*parsed} : malformed(call, *text);
  }
  auto const* map = value.find_map();
  if (map == nullptr) return wrong_argument(call, value);
  constexpr std::array<std::string_view, 11> known = {"years",        "quarters",     "months",     "weeks",
                                                      "days",         "hours",        "minutes",    "seconds",
                                                      "milliseconds", "microseconds", "nanoseconds"};
  for (auto const& [name, value_of_part] : *map) {
    if (std::ranges::find(known, name) == known.end()) return unknown_part(call, name, known);
    if (!value_of_part.is_null() && !value_of_part.is_number()) return wrong_part(call, name);
  }
  auto const part = [&](std::string_view name) { return part_of(*map, name); };
  auto const made =
      make_duration(part("years") * 12 + part("quarters") * 3 + part("months"), part("weeks") * 7 + part("days"),
                    part("hours") * 3600 + part("minutes") * 60 + part("seconds"),
                    part("milliseconds") * 1'000'000 + part("microseconds") * 1000 + part("nanoseconds"));
  if (made) return *made;
  return call.state.fail(ErrorKind::argument_error, "InvalidArgumentValue",
                         "the duration is beyond what can be counted", call.place);
}

Value duration_between(FunctionCall const& call) {
  if (call.arguments[0].is_null() || call.arguments[1].is_null()) return {};
  auto const a = parts_of(call.arguments[0]);
  auto const b = parts_of(call.arguments[1]);
  if (!a || !b) return wrong_argument(call, call.arguments[a ? 1 : 0]);
  auto const unit = call.name == "duration.inMonths"    ? DurationUnit::months
                    : call.name == "duration.inDays"    ? DurationUnit::days
                    : call.name == "duration.inSeconds" ? DurationUnit::seconds
                                                        : DurationUnit::all;
  return between(*a, *b, unit, call.state.environment().zones);
}

Value from_epoch(FunctionCall const& call) {
  std::int64_t parts[2] = {0, 0};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].is_null()) return {};
    auto const* number = call.arguments[i].find_integer();
    if (number == nullptr) return wrong_argument(call, call.arguments[i]);
    parts[i] = *number;
  }
  bool const is_millis = call.arguments.size() == 1;
  constexpr std::int64_t seconds_max = 31'556'889'864'403'199;  // the end of the year 999999999
  auto const too_far = [&] {
    return call.state.fail(ErrorKind::argument_error, "NumberOutOfRange", "the moment is too far away", call.place);
  };
  if (!is_millis && (parts[0] > seconds_max || parts[0] < -seconds_max)) return too_far();
  auto const nanos = is_millis ? floor_mod(parts[0], 1000) * 1'000'000 : parts[1];
  auto const seconds = (is_millis ? floor_div(parts[0], 1000) : parts[0]) + floor_div(nanos, nanos_per_second);
  if (seconds > seconds_max || seconds < -seconds_max) return too_far();
  return DateTime{.seconds = seconds, .nanos = static_cast<std::int32_t>(floor_mod(nanos, nanos_per_second))};
}

Value timestamp(FunctionCall const& call) {
  auto const& environment = call.state.environment();
  return environment.now_seconds * 1000 + environment.now_nanos / 1'000'000;
}

}  // namespace whence::queries::cypher::functions
