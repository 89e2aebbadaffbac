// The offset of a zone depends on the moment. `settle_offset` finds the one of a clock's reading and reads the clock
// again with it, since a reading that a change of the clock leaves out is that of another one.
#include "queries/cypher/values/moment_parts.hpp"

#include "queries/cypher/values/calendar.hpp"

namespace whence::queries::cypher {
namespace {

ZoneRules const* rules_of(MomentParts const& parts, Zones const* zones) {
  return zones == nullptr || parts.zone.empty() ? nullptr : zones->find(parts.zone);
}

std::int64_t local_seconds(MomentParts const& parts) {
  return parts.days.value_or(0) * seconds_per_day + parts.nanos.value_or(0) / nanos_per_second;
}

}  // namespace

std::optional<MomentParts> parts_of(Value const& value) {
  if (auto const* date = value.find<Date>()) return MomentParts{.days = date->days};
  if (auto const* time = value.find<LocalTime>()) return MomentParts{.nanos = time->nanos};
  if (auto const* time = value.find<Time>()) return MomentParts{.nanos = time->nanos, .offset = time->offset};
  auto const split = [](std::int64_t seconds, std::int32_t nanos) {
    auto const days = floor_div(seconds, seconds_per_day);
    return MomentParts{.days = days, .nanos = (seconds - days * seconds_per_day) * nanos_per_second + nanos};
  };
  if (auto const* moment = value.find<LocalDateTime>()) return split(moment->seconds, moment->nanos);
  if (auto const* moment = value.find_date_time()) {
    auto parts = split(moment->seconds + moment->offset, moment->nanos);
    parts.offset = moment->offset;
    parts.zone = moment->zone;
    return parts;
  }
  return std::nullopt;
}

bool settle_offset(MomentParts& parts, Zones const* zones, std::optional<std::int32_t> wanted) {
  if (parts.zone.empty() || parts.offset) return true;
  auto const* rules = rules_of(parts, zones);
  if (rules == nullptr) return false;
  auto const local = local_seconds(parts);
  bool const has_wanted = wanted && rules->offset_at(local - *wanted) == *wanted;
  parts.offset = has_wanted ? *wanted : rules->offset_of_local(local);
  read_clock_of_zone(parts, zones);
  return true;
}

void read_clock_of_zone(MomentParts& parts, Zones const* zones) {
  auto const* rules = rules_of(parts, zones);
  if (rules == nullptr || !parts.days || !parts.nanos || !parts.offset) return;
  auto const utc = local_seconds(parts) - *parts.offset;
  parts.offset = rules->offset_at(utc);
  auto const local = utc + *parts.offset;
  parts.days = floor_div(local, seconds_per_day);
  parts.nanos = (local - *parts.days * seconds_per_day) * nanos_per_second + *parts.nanos % nanos_per_second;
}

bool is_offset_of_zone(MomentParts const& parts, Zones const* zones) {
  auto const* rules = rules_of(parts, zones);
  return rules == nullptr || !parts.offset || rules->offset_at(local_seconds(parts) - *parts.offset) == *parts.offset;
}

Value value_of(MomentParts const& parts, ValueType type) {
  auto const days = parts.days.value_or(0);
  auto const nanos = parts.nanos.value_or(0);
  auto const offset = parts.offset.value_or(0);
  auto const seconds = days * seconds_per_day + nanos / nanos_per_second;
  auto const fraction = static_cast<std::int32_t>(nanos % nanos_per_second);
  switch (type) {
    case ValueType::date:
      return Date{days};
    case ValueType::local_time:
      return LocalTime{nanos};
    case ValueType::time:
      return Time{nanos, offset};
    case ValueType::local_date_time:
      return LocalDateTime{seconds, fraction};
    default:
      return DateTime{.seconds = seconds - offset, .nanos = fraction, .offset = offset, .zone = parts.zone};
  }
}

}  // namespace whence::queries::cypher
