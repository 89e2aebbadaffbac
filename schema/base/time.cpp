// RFC 3339 by hand: the grammar is small, and nothing in the standard library reads exactly it.
#include "schema/base/time.hpp"

#include "schema/base/time_text.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <ostream>

namespace whence::schema {
namespace {

constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::uint32_t nanos_per_second = 1'000'000'000;

constexpr std::int64_t days_before(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return sys_days{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}}
      .time_since_epoch()
      .count();
}
constexpr std::int64_t seconds_min = days_before(0, 1, 1) * seconds_per_day;
constexpr std::int64_t seconds_max = days_before(10'000, 1, 1) * seconds_per_day - 1;

/// Takes a text apart from the front; after a failure every further step fails too.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  /// Exactly `digits` decimal digits.
  int number(std::size_t digits) noexcept {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
    return value;
  }

  void expect(char wanted) noexcept { is_good_ = is_good_ && next_is(wanted); }

  bool next_is(char wanted) noexcept {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// 1 to 9 digits after the point, as nanoseconds.
  std::uint32_t fraction() noexcept {
    std::uint32_t value = 0;
    std::uint32_t unit = nanos_per_second;
    do {
      unit /= 10;
      value += unit * static_cast<std::uint32_t>(digit());
    } while (unit > 1 && !rest_.empty() && is_digit(rest_.front()));
    return value;
  }

  [[nodiscard]] bool is_good() const noexcept { return is_good_; }
  [[nodiscard]] bool is_at_end() const noexcept { return is_good_ && rest_.empty(); }

 private:
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

  int digit() noexcept {
    if (!is_good_ || rest_.empty() || !is_digit(rest_.front())) {
      is_good_ = false;
      return 0;
    }
    int const value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

/// Seconds of the day; nothing where a part is out of range. There is no second 60.
std::optional<std::int64_t> time_of_day(int hour, int minute, int second) noexcept {
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second;
}

/// The zone as seconds east of UTC.
std::optional<std::int64_t> parse_offset(Cursor& cursor) noexcept {
  if (cursor.next_is('Z')) return 0;
  bool const is_west = cursor.next_is('-');
  if (!is_west) cursor.expect('+');
  int const hour = cursor.number(2);
  cursor.expect(':');
  int const minute = cursor.number(2);
  auto const offset = time_of_day(hour, minute, 0);
  if (!cursor.is_good() || !offset) return std::nullopt;
  return is_west ? -*offset : *offset;
}

}  // namespace

std::optional<Time> parse_rfc3339(std::string_view text) noexcept {
  Cursor cursor{text};
  int const year = cursor.number(4);
  cursor.expect('-');
  int const month = cursor.number(2);
  cursor.expect('-');
  int const day = cursor.number(2);
  cursor.expect('T');
  int const hour = cursor.number(2);
  cursor.expect(':');
  int const minute = cursor.number(2);
  cursor.expect(':');
  int const second = cursor.number(2);
  if (!cursor.is_good()) return std::nullopt;
  std::uint32_t const nanos = cursor.next_is('.') ? cursor.fraction() : 0;
  auto const offset = parse_offset(cursor);
  if (!offset || !cursor.is_at_end()) return std::nullopt;

  std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  auto const clock = time_of_day(hour, minute, second);
  if (!date.ok() || !clock) return std::nullopt;
  std::int64_t const days = std::chrono::sys_days{date}.time_since_epoch().count();
  std::int64_t const seconds = days * seconds_per_day + *clock - *offset;
  if (seconds < seconds_min || seconds > seconds_max) return std::nullopt;
  return Time{seconds, nanos};
}

std::string format_rfc3339(Time time) {
  std::string result;
  append_rfc3339(result, time.seconds, time.nanos);
  return result;
}

Time time_of(EpochMs ms) noexcept {
  std::int64_t const seconds = ms.value >= 0 ? ms.value / 1000 : (ms.value - 999) / 1000;
  return {seconds, static_cast<std::uint32_t>((ms.value - seconds * 1000) * 1'000'000)};
}

EpochMs epoch_ms_of(Time time) noexcept {
  return {time.seconds * 1000 + time.nanos / 1'000'000};
}

Time plus_seconds(Time time, double seconds) noexcept {
  // Beyond this every sum lies outside the years that can be written; staying well below 2^63 keeps it an integer.
  constexpr double span = 1e12;
  double const bounded = seconds > span ? span : (seconds < -span ? -span : seconds);
  double const whole = std::floor(bounded);
  auto nanos = static_cast<std::uint32_t>(std::lround((bounded - whole) * nanos_per_second)) + time.nanos;
  Time result{time.seconds + static_cast<std::int64_t>(whole), 0};
  while (nanos >= nanos_per_second) {
    nanos -= nanos_per_second;
    ++result.seconds;
  }
  result.nanos = nanos;
  return result;
}

std::ostream& operator<<(std::ostream& out, Time time) {
  return out << format_rfc3339(time);
}
std::ostream& operator<<(std::ostream& out, EpochMs time) {
  return out << time.value << "ms";
}

Time SystemClock::now() const {
  auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
  auto const seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  auto const rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch - seconds);
  return {seconds.count(), static_cast<std::uint32_t>(rest.count())};
}

}  // namespace whence::schema
