#pragma once
// Moments: RFC 3339 in context and retrieval records, milliseconds since the epoch in conversation and discussion
// records, and the clock they are compared with.

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema {

/// An instant with nanosecond precision, years 0000 to 9999. Ordered by instant.
struct Time {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z, negative before
  std::uint32_t nanos = 0;   ///< 0..999'999'999 after `seconds`

  friend constexpr auto operator<=>(Time const&, Time const&) = default;
};

/// An instant as conversation and discussion records write it: whole milliseconds since the epoch, 0..2^53-1.
struct EpochMs {
  std::int64_t value = 0;

  friend constexpr auto operator<=>(EpochMs const&, EpochMs const&) = default;
};

/// Parses a full RFC 3339 date-time: upper-case `T`, `Z` or `+hh:mm`/`-hh:mm`, 0 to 9 fraction digits, no leap second.
/// Nothing on any other text, nor where the UTC instant leaves the years 0000..9999.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text) noexcept;

/// The instant in UTC with `Z`, without trailing zeros in the fraction: "2025-10-09T16:15:00.5Z".
[[nodiscard]] std::string format_rfc3339(Time time);

[[nodiscard]] Time time_of(EpochMs ms) noexcept;
[[nodiscard]] EpochMs epoch_ms_of(Time time) noexcept;  ///< rounded down
[[nodiscard]] Time plus_seconds(Time time, double seconds) noexcept;

std::ostream& operator<<(std::ostream& out, Time time);
std::ostream& operator<<(std::ostream& out, EpochMs time);

/// Where "now" comes from: the system clock in programs, a settable one in tests. Callable from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Time now() const = 0;
};

/// The wall clock of the machine.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override;
};

}  // namespace whence::schema
