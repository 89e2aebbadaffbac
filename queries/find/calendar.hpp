#pragma once
// Periods of the calendar in UTC.

#include "queries/find/params.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <string>

namespace whence::queries {

/// The number of the period that `time` falls into: consecutive periods have consecutive numbers.
[[nodiscard]] std::int64_t period_of(schema::Time time, Period period) noexcept;

/// The first moment of the period of that number.
[[nodiscard]] schema::Time start_of(std::int64_t number, Period period) noexcept;

/// "2025-10", "2025-10-09": the month or the day that `time` falls into.
[[nodiscard]] std::string month_of(schema::Time time);
[[nodiscard]] std::string day_of(schema::Time time);

}  // namespace whence::queries
