// Texts are those of ISO 8601, with the name of a zone in brackets behind them. In the short form seconds that are 0
// are left out, in both the zeros at the end of a fraction.
#include "queries/cypher/values/components.hpp"

#include "queries/cypher/values/calendar.hpp"
#include "queries/cypher/values/duration.hpp"
#include "queries/cypher/values/moment_parts.hpp"

#include <array>
#include <cstdio>

namespace whence::queries::cypher {
namespace {

std::string date_text(std::int64_t days) {
  auto const date = civil_of(days);
  std::array<char, 48> buffer{};
  char const* const form = date.year > 9999 ? "+%lld-%02lld-%02lld"
                           : date.year < 0  ? "-%04lld-%02lld-%02lld"
                                            : "%04lld-%02lld-%02lld";
  auto const year = date.year < 0 ? -date.year : date.year;
  std::snprintf(buffer.data(), buffer.size(), form, static_cast<long long>(year), static_cast<long long>(date.month),
                static_cast<long long>(date.day));
  return buffer.data();
}

std::string time_text(std::int64_t nanos_of_day, bool has_seconds) {
  auto const seconds = nanos_of_day / nanos_per_second;
  auto const nanos = nanos_of_day % nanos_per_second;
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%02d:%02d", static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60));
  std::string text = buffer.data();
  if (!has_seconds && seconds % 60 == 0 && nanos == 0) return text;
  std::snprintf(buffer.data(), buffer.size(), ":%02d", static_cast<int>(seconds % 60));
  text += buffer.data();
  if (nanos == 0) return text;
  std::snprintf(buffer.data(), buffer.size(), ".%09d", static_cast<int>(nanos));
  text += buffer.data();
  while (text.back() == '0') text.pop_back();
  return text;
}

std::string offset_text(std::int32_t offset) {
  if (offset == 0) return "Z";
  auto const size = offset < 0 ? -offset : offset;
  std::array<char, 32> buffer{};
  char const sign = offset < 0 ? '-' : '+';
  if (size % 60 != 0) {
    std::snprintf(buffer.data(), buffer.size(), "%c%02d:%02d:%02d", sign, size / 3600, size / 60 % 60, size % 60);
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%c%02d:%02d", sign, size / 3600, size / 60 % 60);
  }
  return buffer.data();
}

Value date_component(std::int64_t days, std::string_view name) {
  auto const date = civil_of(days);
  auto const quarter = (date.month - 1) / 3 + 1;
  if (name == "year") return date.year;
  if (name == "quarter") return quarter;
  if (name == "month") return date.month;
  if (name == "week") return week_of(days).week;
  if (name == "weekYear") return week_of(days).year;
  if (name == "dayOfQuarter")
    return days - days_of(CivilDate{.year = date.year, .month = quarter * 3 - 2, .day = 1}) + 1;
  if (name == "day") return date.day;
  if (name == "ordinalDay") return days - days_of(CivilDate{.year = date.year, .month = 1, .day = 1}) + 1;
  if (name == "dayOfWeek" || name == "weekDay") return week_of(days).day;
  return {};
}

Value time_component(std::int64_t nanos, std::string_view name) {
  auto const fraction = nanos % nanos_per_second;
  if (name == "hour") return nanos / (3600 * nanos_per_second);
  if (name == "minute") return nanos / (60 * nanos_per_second) % 60;
  if (name == "second") return nanos / nanos_per_second % 60;
  if (name == "millisecond") return fraction / 1'000'000;
  if (name == "microsecond") return fraction / 1000;
  if (name == "nanosecond") return fraction;
  return {};
}

Value zone_component(MomentParts const& parts, std::string_view name) {
  if (name == "timezone") return parts.zone.empty() ? Value{offset_text(*parts.offset)} : Value{parts.zone};
  if (name == "offset") return offset_text(*parts.offset);
  if (name == "offsetMinutes") return std::int64_t{*parts.offset / 60};
  if (name == "offsetSeconds") return std::int64_t{*parts.offset};
  return {};
}

std::string text_of(Value const& value, bool has_seconds) {
  if (auto const* duration = value.find_duration()) return duration_text(*duration);
  auto const parts = parts_of(value);
  if (!parts) return {};
  std::string text;
  if (parts->days) text += date_text(*parts->days);
  if (parts->days && parts->nanos) text += 'T';
  if (parts->nanos) text += time_text(*parts->nanos, has_seconds);
  if (parts->offset) text += offset_text(*parts->offset);
  if (!parts->zone.empty()) text += "[" + parts->zone + "]";
  return text;
}

}  // namespace

std::string temporal_text(Value const& value) {
  return text_of(value, false);
}

std::string full_temporal_text(Value const& value) {
  return text_of(value, true);
}

Value component_of(Value const& value, std::string_view name) {
  if (auto const* duration = value.find_duration()) return duration_component(*duration, name);
  auto const parts = parts_of(value);
  if (!parts) return {};
  if (parts->days) {
    if (auto found = date_component(*parts->days, name); !found.is_null()) return found;
  }
  if (parts->nanos) {
    if (auto found = time_component(*parts->nanos, name); !found.is_null()) return found;
  }
  if (parts->offset) {
    if (auto found = zone_component(*parts, name); !found.is_null()) return found;
  }
  if (auto const* moment = value.find_date_time()) {
    if (name == "epochSeconds") return moment->seconds;
    if (name == "epochMillis") return moment->seconds * 1000 + moment->nanos / 1'000'000;
  }
  return {};
}

}  // namespace whence::queries::cypher
