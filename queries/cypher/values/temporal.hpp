#pragma once
// The temporal values: dates, times of day, moments with and without a zone, durations.

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace whence::queries::cypher {

constexpr std::int64_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t nanos_per_day = seconds_per_day * nanos_per_second;

/// A day of the proleptic Gregorian calendar.
struct Date {
  std::int64_t days = 0;  ///< since 1970-01-01

  friend auto operator<=>(Date const&, Date const&) = default;
};

/// A time of day without a zone.
struct LocalTime {
  std::int64_t nanos = 0;  ///< since midnight, below one day

  friend auto operator<=>(LocalTime const&, LocalTime const&) = default;
};

/// A time of day at an offset from UTC.
struct Time {
  std::int64_t nanos = 0;   ///< since midnight, on the clock of the offset
  std::int32_t offset = 0;  ///< seconds east of UTC

  friend bool operator==(Time const&, Time const&) = default;
};

/// A moment of a calendar and a clock without a zone.
struct LocalDateTime {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00 on that clock
  std::int32_t nanos = 0;    ///< of the second

  friend auto operator<=>(LocalDateTime const&, LocalDateTime const&) = default;
};

/// A moment of the time line, with the zone in which it is shown.
struct DateTime {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  std::int32_t nanos = 0;    ///< of the second
  std::int32_t offset = 0;   ///< seconds east of UTC at that moment
  std::string zone = {};     ///< its name ("Europe/Stockholm"); empty where only the offset is known

  friend bool operator==(DateTime const&, DateTime const&) = default;
};

/// An amount of time in four parts that do not convert into each other.
struct Duration {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;  ///< of the second, 0 to 999999999, also of a negative duration

  friend bool operator==(Duration const&, Duration const&) = default;
};

}  // namespace whence::queries::cypher
