#pragma once
// The proleptic Gregorian calendar: days since 1970-01-01 to and from years, months, weeks, quarters.

#include <cstdint>

namespace whence::queries::cypher {

struct CivilDate {
  std::int64_t year = 1970;
  std::int64_t month = 1;  ///< from 1
  std::int64_t day = 1;    ///< from 1
};

/// A week of ISO 8601, which may belong to another year than its days.
struct WeekDate {
  std::int64_t year = 1970;
  std::int64_t week = 1;  ///< from 1
  std::int64_t day = 1;   ///< 1: Monday
};

constexpr bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
std::int64_t days_in_month(std::int64_t year, std::int64_t month);
std::int64_t days_in_quarter(std::int64_t year, std::int64_t quarter);
std::int64_t days_of(CivilDate const& date);
CivilDate civil_of(std::int64_t days);
std::int64_t days_of(WeekDate const& date);
WeekDate week_of(std::int64_t days);
std::int64_t weeks_in_year(std::int64_t year);
/// `days` moved by months; a day that the month lacks becomes its last one.
std::int64_t add_months(std::int64_t days, std::int64_t months);

/// Division that rounds down, and its remainder, which is not negative.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  return a - floor_div(a, b) * b;
}

}  // namespace whence::queries::cypher
