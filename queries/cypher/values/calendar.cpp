// Weeks are those of ISO 8601: they begin on Monday, and week 1 is the one with January 4.
#include "queries/cypher/values/calendar.hpp"

#include <algorithm>
#include <array>

namespace whence::queries::cypher {

std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Years are counted from March, so that the leap day is the last one; 146097 days are 400 years.
std::int64_t days_of(CivilDate const& date) {
  auto const year = date.year - (date.month <= 2 ? 1 : 0);
  auto const era = floor_div(year, 400);
  auto const year_of_era = year - era * 400;
  auto const month = date.month > 2 ? date.month - 3 : date.month + 9;
  auto const day_of_year = (153 * month + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

CivilDate civil_of(std::int64_t days) {
  days += 719468;
  auto const era = floor_div(days, 146097);
  auto const day_of_era = days - era * 146097;
  auto const year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  auto const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  auto const month = (5 * day_of_year + 2) / 153;
  auto const civil_month = month < 10 ? month + 3 : month - 9;
  return {.year = year_of_era + era * 400 + (civil_month <= 2 ? 1 : 0),
          .month = civil_month,
          .day = day_of_year - (153 * month + 2) / 5 + 1};
}

std::int64_t days_in_quarter(std::int64_t year, std::int64_t quarter) {
  auto const last = quarter * 3;
  return days_in_month(year, last - 2) + days_in_month(year, last - 1) + days_in_month(year, last);
}

namespace {

/// The Monday of week 1: the week with January 4.
std::int64_t first_monday(std::int64_t year) {
  auto const fourth = days_of({.year = year, .month = 1, .day = 4});
  return fourth - floor_mod(fourth + 3, 7);
}

}  // namespace

std::int64_t days_of(WeekDate const& date) {
  return first_monday(date.year) + (date.week - 1) * 7 + date.day - 1;
}

WeekDate week_of(std::int64_t days) {
  auto year = civil_of(days).year;
  if (days < first_monday(year)) {
    --year;
  } else if (days >= first_monday(year + 1)) {
    ++year;
  }
  auto const passed = days - first_monday(year);
  return {.year = year, .week = passed / 7 + 1, .day = passed % 7 + 1};
}

std::int64_t weeks_in_year(std::int64_t year) {
  return (first_monday(year + 1) - first_monday(year)) / 7;
}

std::int64_t add_months(std::int64_t days, std::int64_t months) {
  auto date = civil_of(days);
  auto const total = date.year * 12 + date.month - 1 + months;
  date.year = floor_div(total, 12);
  date.month = floor_mod(total, 12) + 1;
  date.day = std::min(date.day, days_in_month(date.year, date.month));
  return days_of(date);
}

}  // namespace whence::queries::cypher
