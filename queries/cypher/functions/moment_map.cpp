// What the map selects of other values (`date`, `datetime`, an epoch) is the base, the parts that it names take the
// place of those of the base, and last the zone gives the offset. The first wrong part fails.
#include "queries/cypher/functions/moment_map.hpp"

#include "queries/cypher/values/calendar.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace whence::queries::cypher::functions {
namespace {

constexpr std::int64_t year_max = 999'999'999;

/// Reads a map's parts, and notes the first wrong one.
class PartReader {
 public:
  PartReader(FunctionCall const& call, Map const& map) : call_(call), map_(map) {}

  [[nodiscard]] Value find(std::string_view name) const {
    auto const found = map_.find(name);
    return found == map_.end() ? Value{} : found->second;
  }
  [[nodiscard]] bool has(std::string_view name) const { return !find(name).is_null(); }
  /// The number of that name between bounds; `otherwise` where the map has none.
  std::int64_t number(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    auto const value = find(name);
    if (value.is_null()) return otherwise;
    auto const* number = value.find_integer();
    if (number == nullptr || *number < least || *number > most) {
      fail(name);
      return otherwise;
    }
    return *number;
  }
  void fail(std::string_view name) {
    failed_ = true;
    (void)wrong_part(call_, name);
  }
  void fail_unknown(std::string_view name, std::span<std::string_view const> known) {
    failed_ = true;
    (void)unknown_part(call_, name, known);
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  FunctionCall const& call_;
  Map const& map_;
  bool failed_ = false;
};

/// The day that the map's parts name. `base` gives what is left out; without it parts below the first given are 1.
std::int64_t day_of(PartReader& in, std::optional<std::int64_t> base) {
  auto const from = base ? civil_of(*base) : CivilDate{};
  auto const year_of = [&](std::int64_t otherwise) { return in.number("year", otherwise, -year_max, year_max); };
  if (in.has("week")) {
    auto const week = base ? week_of(*base) : WeekDate{};
    auto const year = year_of(base ? week.year : 1970);
    auto const number = in.number("week", 1, 1, weeks_in_year(year));
    return days_of(WeekDate{.year = year, .week = number, .day = in.number("dayOfWeek", base ? week.day : 1, 1, 7)});
  }
  auto const year = year_of(from.year);
  if (in.has("ordinalDay")) {
    auto const day = in.number("ordinalDay", 1, 1, is_leap(year) ? 366 : 365);
    return days_of(CivilDate{.year = year, .month = 1, .day = 1}) + day - 1;
  }
  if (in.has("quarter") || in.has("dayOfQuarter")) {
    auto const quarter = in.number("quarter", (from.month - 1) / 3 + 1, 1, 4);
    auto const start = days_of(CivilDate{.year = year, .month = quarter * 3 - 2, .day = 1});
    if (in.has("dayOfQuarter")) return start + in.number("dayOfQuarter", 1, 1, days_in_quarter(year, quarter)) - 1;
    if (!base) return start;
    auto const month = quarter * 3 - 2 + (from.month - 1) % 3;
    return days_of(CivilDate{.year = year, .month = month, .day = std::min(from.day, days_in_month(year, month))});
  }
  if (in.has("dayOfWeek") && base) {
    auto week = week_of(*base);
    week.day = in.number("dayOfWeek", week.day, 1, 7);
    return days_of(week);
  }
  auto const month = in.number("month", from.month, 1, 12);
  auto const last = days_in_month(year, month);
  auto const day = in.has("day") ? in.number("day", 1, 1, last) : std::min(from.day, last);
  return days_of(CivilDate{.year = year, .month = month, .day = day});
}

/// The part of a second. `keeps_larger`: given nanoseconds add to the base's milliseconds, as after a truncation.
std::int64_t fraction_of(PartReader& in, std::int64_t base, bool keeps_larger) {
  bool const has_milli = in.has("millisecond");
  bool const has_micro = in.has("microsecond");
  bool const has_nano = in.has("nanosecond");
  if (!has_milli && !has_micro && !has_nano) return base;
  auto const milli = in.number("millisecond", 0, 0, 999);
  auto const micro = in.number("microsecond", 0, 0, has_milli ? 999 : 999'999);
  auto const nano = in.number("nanosecond", 0, 0, has_micro ? 999 : has_milli ? 999'999 : nanos_per_second - 1);
  auto const total = milli * 1'000'000 + micro * 1000 + nano;
  return keeps_larger ? (base + total) % nanos_per_second : total;
}

std::int64_t time_of(PartReader& in, std::optional<std::int64_t> base, bool keeps_larger) {
  auto const from = base.value_or(0);
  auto const hour = in.number("hour", from / nanos_per_second / 3600, 0, 23);
  auto const minute = in.number("minute", from / nanos_per_second / 60 % 60, 0, 59);
  auto const second = in.number("second", from / nanos_per_second % 60, 0, 59);
  return (hour * 3600 + minute * 60 + second) * nanos_per_second +
         fraction_of(in, from % nanos_per_second, keeps_larger);
}

/// The moment that `date`, `time` or `datetime` of the map names.
std::optional<MomentParts> selected(PartReader& in, std::string_view name) {
  auto const value = in.find(name);
  if (value.is_null()) return std::nullopt;
  auto parts = parts_of(value);
  if (!parts) in.fail(name);
  return parts;
}

/// Shows a moment at another zone: its clock moves by the difference of the offsets.
void move_to_zone(MomentParts& parts, MomentParts const& zone, Zones const* zones) {
  auto const utc = parts.days.value_or(0) * seconds_per_day + *parts.nanos / nanos_per_second - *parts.offset;
  auto offset = zone.offset.value_or(0);
  if (!zone.zone.empty()) {
    auto const* rules = zones != nullptr ? zones->find(zone.zone) : nullptr;
    if (rules != nullptr) offset = rules->offset_at(utc);
  }
  auto const local = utc + offset;
  auto const days = floor_div(local, seconds_per_day);
  parts.nanos = (local - days * seconds_per_day) * nanos_per_second + *parts.nanos % nanos_per_second;
  if (parts.days) parts.days = days;
  parts.offset = offset;
  parts.zone = zone.zone;
}

constexpr std::array<std::string_view, 20> known_parts = {
    "date",        "time",        "datetime",     "year",       "month",        "day",        "week",
    "dayOfWeek",   "quarter",     "dayOfQuarter", "ordinalDay", "hour",         "minute",     "second",
    "millisecond", "microsecond", "nanosecond",   "timezone",   "epochSeconds", "epochMillis"};

/// What the map selects, in the place of what was truncated.
MomentParts selected_parts(PartReader& in, std::optional<MomentParts> const& truncated) {
  auto base = truncated.value_or(MomentParts{});
  if (auto const whole = selected(in, "datetime")) base = *whole;
  if (auto const date = selected(in, "date")) base.days = date->days;
  if (auto const time = selected(in, "time")) {
    base.nanos = time->nanos;
    base.offset = time->offset;
    base.zone = time->zone;
  }
  for (auto const* epoch : {"epochSeconds", "epochMillis"}) {
    if (!in.has(epoch)) continue;
    bool const is_millis = std::string_view{epoch} == "epochMillis";
    auto const number = in.number(epoch, 0, -31'556'889'864'403'199, 31'556'889'864'403'199);
    auto const seconds = is_millis ? floor_div(number, 1000) : number;
    auto const nanos = is_millis ? floor_mod(number, 1000) * 1'000'000 : 0;
    base = *parts_of(Value{DateTime{.seconds = seconds, .nanos = static_cast<std::int32_t>(nanos)}});
  }
  return base;
}

MomentParts zone_in(PartReader& in, Zones const* zones) {
  MomentParts zone;
  auto const text = in.find("timezone");
  if (text.find_text() == nullptr || !parse_zone_text(*text.find_text(), zone)) in.fail("timezone");
  if (!zone.zone.empty() && (zones == nullptr || zones->find(zone.zone) == nullptr)) in.fail("timezone");
  return zone;
}

/// A time of day has no date to look its zone up with: the day of the whole moment serves.
void move_selected(PartReader& in, MomentParts& base, MomentParts const& zone, bool has_date, Zones const* zones) {
  if (has_date && !base.zone.empty()) {
    auto dated = base;
    dated.days = day_of(in, base.days);
    dated.offset.reset();
    if (settle_offset(dated, zones)) base.offset = dated.offset;
  }
  auto const days = base.days;
  if (has_date) base.days = day_of(in, base.days);
  auto const moved_days = base.days;
  move_to_zone(base, zone, zones);
  if (has_date && days && moved_days && *base.days != *moved_days && in.has("date")) base.days = moved_days;
}

}  // namespace

Value wrong_part(FunctionCall const& call, std::string_view name) {
  return call.state.fail(
      ErrorKind::argument_error, "InvalidArgumentValue",
      "'" + std::string{name.substr(0, 100)} + "' has a value that " + std::string{call.name} + "() does not take",
      call.place);
}

Value unknown_part(FunctionCall const& call, std::string_view name, std::span<std::string_view const> known) {
  std::string all;
  for (auto const each : known) all.append(all.empty() ? "" : ", ").append(each);
  return call.state.fail(
      ErrorKind::argument_error, "InvalidArgumentValue",
      std::string{call.name} + "() knows no part '" + std::string{name.substr(0, 100)} + "', only " + all, call.place);
}

Value moment_from_map(FunctionCall const& call, ValueType type, Map const& map,
                      std::optional<MomentParts> const& truncated) {
  auto const* zones = call.state.environment().zones;
  PartReader in{call, map};
  for (auto const& entry : map) {
    if (std::ranges::find(known_parts, entry.first) == known_parts.end()) in.fail_unknown(entry.first, known_parts);
  }
  bool const has_date = type == ValueType::date || type == ValueType::local_date_time || type == ValueType::date_time;
  bool const has_time = type != ValueType::date;
  bool const has_zone = type == ValueType::time || type == ValueType::date_time;

  auto base = selected_parts(in, truncated);
  auto const zone = in.has("timezone") && has_zone ? zone_in(in, zones) : MomentParts{};
  if (in.failed()) return {};
  bool const has_new_zone = zone.offset || !zone.zone.empty();
  MomentParts made;
  if (has_new_zone && base.nanos && base.offset && !truncated) move_selected(in, base, zone, has_date, zones);
  if (has_date) made.days = day_of(in, base.days);
  if (has_time) made.nanos = time_of(in, base.nanos, truncated.has_value());
  if (has_zone) {
    made.zone = has_new_zone ? zone.zone : base.zone;
    made.offset = has_new_zone ? zone.offset : base.offset;
    if (!made.zone.empty()) made.offset.reset();
    if (type == ValueType::time && !made.zone.empty()) made.offset = base.offset;
    auto const wanted = has_new_zone ? std::nullopt : base.offset;
    if (!settle_offset(made, zones, wanted)) in.fail("timezone");
  }
  return in.failed() ? Value{} : value_of(made, type);
}

}  // namespace whence::queries::cypher::functions
