#include "queries/find/calendar.hpp"

#include <chrono>

namespace whence::queries {
namespace {

constexpr std::int64_t hour_seconds = 3600;
constexpr std::int64_t day_seconds = 24 * hour_seconds;
constexpr std::int64_t week_days = 7;
constexpr std::int64_t thursday = 3;  // of 1970-01-01, counted from Monday
constexpr std::int64_t year_months = 12;
constexpr std::size_t month_letters = 7;
constexpr std::size_t day_letters = 10;

/// Rounded down, also below zero.
constexpr std::int64_t divide(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::chrono::year_month_day date_of(std::int64_t days) noexcept {
  return std::chrono::sys_days{std::chrono::days{days}};
}

std::int64_t month_number(std::chrono::year_month_day date) noexcept {
  return int{date.year()} * year_months + static_cast<std::int64_t>(unsigned{date.month()}) - 1;
}

std::int64_t days_of_month(std::int64_t month) noexcept {
  auto const year = divide(month, year_months);
  std::chrono::sys_days const first = std::chrono::year{static_cast<int>(year)} /
                                      std::chrono::month{static_cast<unsigned>(month - year * year_months + 1)} /
                                      std::chrono::day{1};
  return first.time_since_epoch().count();
}

}  // namespace

std::int64_t period_of(schema::Time time, Period period) noexcept {
  if (period == Period::hour) return divide(time.seconds, hour_seconds);
  auto const days = divide(time.seconds, day_seconds);
  if (period == Period::day) return days;
  if (period == Period::week) return divide(days + thursday, week_days);
  auto const date = date_of(days);
  return period == Period::month ? month_number(date) : int{date.year()};
}

schema::Time start_of(std::int64_t number, Period period) noexcept {
  switch (period) {
    case Period::hour:
      return {number * hour_seconds};
    case Period::day:
      return {number * day_seconds};
    case Period::week:
      return {(number * week_days - thursday) * day_seconds};
    case Period::month:
      return {days_of_month(number) * day_seconds};
    case Period::year:
      break;
  }
  return {days_of_month(number * year_months) * day_seconds};
}

std::string month_of(schema::Time time) {
  return schema::format_rfc3339(time).substr(0, month_letters);
}

std::string day_of(schema::Time time) {
  return schema::format_rfc3339(time).substr(0, day_letters);
}

}  // namespace whence::queries
