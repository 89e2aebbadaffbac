#pragma once
// The text of a moment, written without memory of its own: records are full of them.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace whence::schema {

/// `digits` decimal digits at `to`; the place behind them.
inline char* put_digits(char* to, std::uint32_t value, std::size_t digits) noexcept {
  for (std::size_t i = digits; i > 0; --i) {
    to[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return to + digits;
}

inline char* put_digits(char* to, char before, std::uint32_t value, std::size_t digits) noexcept {
  *to = before;
  return put_digits(to + 1, value, digits);
}

/// Appends an instant of the years 0000 to 9999, in seconds since 1970 and nanoseconds after them, as RFC 3339 in UTC:
/// with `Z`, without trailing zeros in the fraction.
inline void append_rfc3339(std::string& out, std::int64_t seconds, std::uint32_t nanos) {
  auto const day = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{seconds}});
  std::chrono::year_month_day const date{day};
  auto const clock = static_cast<std::uint32_t>(seconds - std::chrono::sys_seconds{day}.time_since_epoch().count());
  std::array<char, 30> text;  // 2025-10-09T16:15:00.123456789Z
  char* end = put_digits(text.data(), static_cast<std::uint32_t>(int{date.year()}), 4);
  end = put_digits(end, '-', unsigned{date.month()}, 2);
  end = put_digits(end, '-', unsigned{date.day()}, 2);
  end = put_digits(end, 'T', clock / 3600, 2);
  end = put_digits(end, ':', clock / 60 % 60, 2);
  end = put_digits(end, ':', clock % 60, 2);
  if (nanos != 0) {
    end = put_digits(end, '.', nanos, 9);
    while (end[-1] == '0') --end;
  }
  *end++ = 'Z';
  out.append(text.data(), end);
}

}  // namespace whence::schema
