#pragma once
// Durations: making, reading, writing, arithmetic, and the difference of two moments.

#include "queries/cypher/values/moment_parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::queries::cypher {

/// A duration from parts that may have fractions: a fraction goes on to the next smaller part. None where a part does
/// not fit.
[[nodiscard]] std::optional<Duration> make_duration(long double months, long double days, long double seconds,
                                                    long double nanos);
/// Reads `P1Y2M3W4DT5H6M7.8S` or `P2012-02-02T14:37:21.545`. None for another text.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
[[nodiscard]] std::string duration_text(Duration const& duration);
[[nodiscard]] Value duration_component(Duration const& duration, std::string_view name);

[[nodiscard]] Duration sum(Duration const& a, Duration const& b);
[[nodiscard]] Duration negated(Duration const& duration);
[[nodiscard]] std::optional<Duration> scaled(Duration const& duration, double factor);
/// `parts` later by `duration`: months first, then days, then the time. Times of day wrap at midnight.
[[nodiscard]] MomentParts later(MomentParts const& parts, Duration const& duration, Zones const* zones);
/// About how many seconds it takes, for the order of durations.
[[nodiscard]] double average_seconds(Duration const& duration);

/// The largest part that `between` uses.
enum class DurationUnit : std::uint8_t { all, months, days, seconds };
/// From `a` to `b`. Parts that only one has are ignored: of a date and a time only the time counts.
[[nodiscard]] Duration between(MomentParts a, MomentParts b, DurationUnit unit, Zones const* zones);

}  // namespace whence::queries::cypher
