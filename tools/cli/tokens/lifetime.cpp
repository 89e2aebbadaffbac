// Durations, dates, times.

#include "tools/cli/tokens/lifetime.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace whence::tools {

namespace {

constexpr std::int64_t seconds_max = std::int64_t{100} * 366 * 86'400;

/// Seconds of `30d` and the like.
std::optional<std::int64_t> parse_seconds(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 'd':
      unit = 86'400;
      break;
    case 'h':
      unit = 3'600;
      break;
    case 'm':
      unit = 60;
      break;
    case 's':
      unit = 1;
      break;
    default:
      return std::nullopt;
  }
  std::int64_t count = 0;
  auto const* const end = text.data() + text.size() - 1;
  auto const parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec != std::errc{} || parsed.ptr != end || count < 0 || count > seconds_max / unit) return std::nullopt;
  return count * unit;
}

}  // namespace

Result<schema::Time> parse_end(std::string_view text, schema::Time now) {
  std::optional<schema::Time> end;
  if (auto const seconds = parse_seconds(text)) {
    end = schema::Time{now.seconds + *seconds, 0};
  } else {
    end = schema::parse_rfc3339(text);
    if (!end) end = schema::parse_rfc3339(std::string{text} + "T00:00:00Z");
  }
  auto const wrong = [text](char const* what) {
    return Error{.code = Errc::invalid_params, .message = "\"" + std::string{text} + "\" " + what};
  };
  if (!end) return wrong("is not a duration such as 30d, a date, or a time such as 2027-01-31T12:00:00Z");
  if (*end <= now) return wrong("is not in the future");
  return *end;
}

}  // namespace whence::tools
