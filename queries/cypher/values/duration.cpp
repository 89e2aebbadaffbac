// Months, days and seconds stay apart, since months differ in days, and days in seconds where a clock changes. A
// fraction of one becomes the smaller unit by average lengths. Differences are counted on the clock of the first
// moment.
#include "queries/cypher/values/duration.hpp"

#include "queries/cypher/values/calendar.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace whence::queries::cypher {
namespace {

/// Moments in nanoseconds do not fit into 64 bits.
__extension__ typedef __int128 Nanos;  // NOLINT(modernize-use-using): `__extension__` needs it

constexpr long double seconds_per_month = 2629746;  // a year of 365.2425 days

Duration normal(std::int64_t months, std::int64_t days, std::int64_t seconds, std::int64_t nanos) {
  return {.months = months,
          .days = days,
          .seconds = seconds + floor_div(nanos, nanos_per_second),
          .nanos = static_cast<std::int32_t>(floor_mod(nanos, nanos_per_second))};
}

bool fits(long double value) {
  return std::fabs(value) < 9.2e18L;
}

/// One `number letter` of a duration's text.
struct Part {
  long double value = 0;
  char letter = 0;
};

std::optional<Part> next_part(std::string_view& text) {
  bool const is_negative = !text.empty() && text.front() == '-';
  if (is_negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && ((text[size] >= '0' && text[size] <= '9') || text[size] == '.' || text[size] == ','))
    ++size;
  if (size == 0 || size == text.size() || size > 40) return std::nullopt;
  std::string digits{text.substr(0, size)};
  for (auto& c : digits) c = c == ',' ? '.' : c;
  // In two steps: a double does not hold nine digits after a large whole part.
  auto const dot = digits.find('.');
  std::int64_t whole = 0;
  auto const whole_text = std::string_view{digits}.substr(0, dot);
  auto const read = std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), whole);
  if (read.ec != std::errc{} || read.ptr != whole_text.data() + whole_text.size()) return std::nullopt;
  long double value = static_cast<long double>(whole);
  if (dot != std::string::npos) {
    long double unit = 0.1L;
    for (auto i = dot + 1; i < digits.size(); ++i, unit /= 10) {
      if (digits[i] == '.') return std::nullopt;
      value += static_cast<long double>(digits[i] - '0') * unit;
    }
  }
  Part const part{.value = is_negative ? -value : value, .letter = text[size]};
  text.remove_prefix(size + 1);
  return part;
}

struct DurationSums {
  long double months = 0;
  long double days = 0;
  long double seconds = 0;
};

void add_duration_part(Part const& part, bool in_time, DurationSums& sums) {
  switch (part.letter) {
    case 'Y':
      sums.months += part.value * 12;
      return;
    case 'M':
      if (in_time) {
        sums.seconds += part.value * 60;
      } else {
        sums.months += part.value;
      }
      return;
    case 'W':
      sums.days += part.value * 7;
      return;
    case 'D':
      sums.days += part.value;
      return;
    case 'H':
      sums.seconds += part.value * 3600;
      return;
    default:
      sums.seconds += part.value;
  }
}

/// `2012-02-02T14:37:21.545`: as many years, months, days and so on.
std::optional<Duration> parse_date_form(std::string_view text) {
  auto const moment = parse_moment(text, ValueType::local_date_time);
  if (!moment) return std::nullopt;
  auto const date = civil_of(*moment->days);
  return normal(date.year * 12 + date.month, date.day, 0, *moment->nanos);
}

}  // namespace

std::optional<Duration> make_duration(long double months, long double days, long double seconds, long double nanos) {
  auto const whole_months = std::trunc(months);
  days += (months - whole_months) * seconds_per_month / seconds_per_day;
  auto const whole_days = std::trunc(days);
  seconds += (days - whole_days) * seconds_per_day;
  auto const whole_seconds = std::trunc(seconds);
  nanos += std::round((seconds - whole_seconds) * nanos_per_second * 1000) / 1000;  // hides what binary fractions lose
  auto const whole_nanos = std::trunc(nanos);
  if (!fits(whole_months) || !fits(whole_days) || !fits(whole_seconds) || !fits(whole_nanos)) return std::nullopt;
  return normal(static_cast<std::int64_t>(whole_months), static_cast<std::int64_t>(whole_days),
                static_cast<std::int64_t>(whole_seconds), static_cast<std::int64_t>(whole_nanos));
}

std::optional<Duration> parse_duration(std::string_view text) {
  bool const is_negative = !text.empty() && text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  if (text.size() < 2 || text.front() != 'P') return std::nullopt;
  text.remove_prefix(1);
  if (text.size() > 5 && text.find('-', 1) == 4) return parse_date_form(text);
  DurationSums sums;
  bool in_time = false;
  bool has_part = false;
  std::string_view letters = "YMWD";  // those that may follow, each once
  while (!text.empty()) {
    if (text.front() == 'T' && !in_time) {
      in_time = true;
      letters = "HMS";
      text.remove_prefix(1);
      continue;
    }
    auto const part = next_part(text);
    auto const place = part ? letters.find(part->letter) : std::string_view::npos;
    if (place == std::string_view::npos) return std::nullopt;
    letters.remove_prefix(place + 1);
    has_part = true;
    add_duration_part(*part, in_time, sums);
  }
  if (!has_part) return std::nullopt;
  auto const made = make_duration(sums.months, sums.days, sums.seconds, 0);
  return made && is_negative ? negated(*made) : made;
}

std::string duration_text(Duration const& duration) {
  std::string text = "P";
  auto const put = [&text](std::int64_t amount, char letter) {
    if (amount != 0) text += std::to_string(amount) + letter;
  };
  put(duration.months / 12, 'Y');
  put(duration.months % 12, 'M');
  put(duration.days, 'D');
  // Seconds and their fraction have one sign in the text.
  bool const shifts = duration.seconds < 0 && duration.nanos > 0;
  auto const seconds = duration.seconds + (shifts ? 1 : 0);
  auto const nanos = shifts ? nanos_per_second - duration.nanos : std::int64_t{duration.nanos};
  if (seconds != 0 || nanos != 0) {
    text += 'T';
    put(seconds / 3600, 'H');
    put(seconds / 60 % 60, 'M');
    if (seconds % 60 != 0 || nanos != 0) {
      if (duration.seconds < 0 && seconds % 60 == 0) text += '-';
      text += std::to_string(seconds % 60);
      if (nanos != 0) {
        std::array<char, 16> buffer{};
        std::snprintf(buffer.data(), buffer.size(), ".%09lld", static_cast<long long>(nanos));
        text += buffer.data();
        while (text.back() == '0') text.pop_back();
      }
      text += 'S';
    }
  }
  return text == "P" ? "PT0S" : text;
}

Value duration_component(Duration const& duration, std::string_view name) {
  auto const nanos = std::int64_t{duration.nanos};
  // All that passed in a smaller unit; nothing where 64 bits do not hold it.
  auto const total = [&](std::int64_t per_second) -> Value {
    std::int64_t made = 0;
    auto const rest = nanos / (nanos_per_second / per_second);
    bool const is_beyond =
        __builtin_mul_overflow(duration.seconds, per_second, &made) || __builtin_add_overflow(made, rest, &made);
    return is_beyond ? Value{} : Value{made};
  };
  if (name == "years") return duration.months / 12;
  if (name == "quarters") return duration.months / 3;
  if (name == "months") return duration.months;
  if (name == "weeks") return duration.days / 7;
  if (name == "days") return duration.days;
  if (name == "hours") return duration.seconds / 3600;
  if (name == "minutes") return duration.seconds / 60;
  if (name == "seconds") return duration.seconds;
  if (name == "milliseconds") return total(1000);
  if (name == "microseconds") return total(1'000'000);
  if (name == "nanoseconds") return total(nanos_per_second);
  if (name == "quartersOfYear") return duration.months / 3 % 4;
  if (name == "monthsOfQuarter") return duration.months % 3;
  if (name == "monthsOfYear") return duration.months % 12;
  if (name == "daysOfWeek") return duration.days % 7;
  if (name == "minutesOfHour") return duration.seconds / 60 % 60;
  if (name == "secondsOfMinute") return duration.seconds % 60;
  if (name == "millisecondsOfSecond") return nanos / 1'000'000;
  if (name == "microsecondsOfSecond") return nanos / 1000;
  if (name == "nanosecondsOfSecond") return nanos;
  return {};
}

namespace {

/// A sum that stops at the ends of the range instead of leaving it.
std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t total = 0;
  if (!__builtin_add_overflow(a, b, &total)) return total;
  return a < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
}

}  // namespace

Duration sum(Duration const& a, Duration const& b) {
  return normal(capped_sum(a.months, b.months), capped_sum(a.days, b.days), capped_sum(a.seconds, b.seconds),
                std::int64_t{a.nanos} + b.nanos);
}

Duration negated(Duration const& duration) {
  return normal(-duration.months, -duration.days, -duration.seconds, -std::int64_t{duration.nanos});
}

std::optional<Duration> scaled(Duration const& duration, double factor) {
  auto const by = static_cast<long double>(factor);
  return make_duration(static_cast<long double>(duration.months) * by, static_cast<long double>(duration.days) * by,
                       static_cast<long double>(duration.seconds) * by, static_cast<long double>(duration.nanos) * by);
}

MomentParts later(MomentParts const& parts, Duration const& duration, Zones const* zones) {
  auto made = parts;
  if (made.days) *made.days = add_months(*made.days, duration.months) + duration.days;
  // Months and days are steps on the calendar of the zone; seconds pass, whatever its clock does meanwhile.
  if (!made.zone.empty()) {
    made.offset.reset();
    if (!settle_offset(made, zones, parts.offset)) made.offset = parts.offset;
  }
  if (made.nanos) {
    auto const day_shift = floor_div(duration.seconds, seconds_per_day);
    auto const total =
        *made.nanos + (duration.seconds - day_shift * seconds_per_day) * nanos_per_second + duration.nanos;
    if (made.days) *made.days += day_shift + floor_div(total, nanos_per_day);
    made.nanos = floor_mod(total, nanos_per_day);
  } else if (made.days) {
    // Whole days of the time count for a date.
    *made.days += duration.seconds / seconds_per_day;
  }
  read_clock_of_zone(made, zones);
  return made;
}

double average_seconds(Duration const& duration) {
  return static_cast<double>(duration.months) * static_cast<double>(seconds_per_month) +
         static_cast<double>(duration.days) * 86400.0 + static_cast<double>(duration.seconds) + duration.nanos / 1e9;
}

namespace {

/// A clock reading in nanoseconds since 1970.
Nanos reading(MomentParts const& parts) {
  return static_cast<Nanos>(parts.days.value_or(0)) * nanos_per_day + parts.nanos.value_or(0);
}

Duration from_nanos(std::int64_t months, std::int64_t days, Nanos nanos) {
  auto const per_second = static_cast<Nanos>(nanos_per_second);
  auto seconds = nanos / per_second;
  auto rest = nanos % per_second;
  if (rest < 0) {
    rest += per_second;
    --seconds;
  }
  return {.months = months,
          .days = days,
          .seconds = static_cast<std::int64_t>(seconds),
          .nanos = static_cast<std::int32_t>(rest)};
}

/// Whole months from `a` to `b`, towards zero, by the numbers of months and days, as java.time counts them: none from
/// the 31st of January to the 28th of February.
std::int64_t whole_months(MomentParts const& a, MomentParts const& b) {
  constexpr std::int64_t days_of_number = 32;
  auto const number = [](std::int64_t days) {
    auto const date = civil_of(days);
    return (date.year * 12 + date.month) * days_of_number + date.day;
  };
  auto const start = a.nanos.value_or(0);
  auto const end = b.nanos.value_or(0);
  auto last = *b.days;
  if (last > *a.days && end < start) --last;
  if (last < *a.days && end > start) ++last;
  return (number(last) - number(*a.days)) / days_of_number;
}

/// One with a zone lends it to the other; a named one has an offset for each moment.
void lend_zone(MomentParts& a, MomentParts& b, Zones const* zones) {
  bool const both_dated = a.days && b.days;
  if (a.offset && !b.offset && (b.nanos || both_dated)) {
    b.zone = a.zone;
    b.offset = a.zone.empty() ? a.offset : std::nullopt;
    if (b.zone.empty() || !b.days) {
      if (!b.offset) b.offset = a.offset;
    }
    if (!b.days && !b.zone.empty()) {
      b.days = a.days;
      b.offset.reset();
      if (!settle_offset(b, zones)) b.offset = a.offset;
      b.days.reset();
    }
  } else if (b.offset && !a.offset && (a.nanos || both_dated)) {
    a.zone = b.zone;
    a.offset = b.zone.empty() ? b.offset : std::nullopt;
    if (!a.days && !a.zone.empty()) {
      a.days = b.days;
      if (!settle_offset(a, zones)) a.offset = b.offset;
      a.days.reset();
    }
  }
  if (!settle_offset(a, zones)) a.offset = b.offset;
  if (!settle_offset(b, zones)) b.offset = a.offset;
}

Nanos offset_nanos(MomentParts const& parts) {
  return static_cast<Nanos>(parts.offset.value_or(0)) * nanos_per_second;
}

/// Shows `b` on the clock of `a`.
void move_to_clock(MomentParts const& a, MomentParts& b) {
  auto const shift = offset_nanos(a) - offset_nanos(b);
  auto const end = reading(b) + (a.zone.empty() || b.zone != a.zone ? shift : 0);
  auto const per_day = static_cast<Nanos>(nanos_per_day);
  auto days = end / per_day;
  if (end % per_day < 0) --days;
  b.days = static_cast<std::int64_t>(days);
  b.nanos = static_cast<std::int64_t>(end - days * per_day);
}

}  // namespace

Duration between(MomentParts a, MomentParts b, DurationUnit unit, Zones const* zones) {
  bool const both_dated = a.days && b.days;
  lend_zone(a, b, zones);
  if (!both_dated) {
    if (unit == DurationUnit::months || unit == DurationUnit::days) return {};
    // A date that lacks its partner's counts for the zone's offset only.
    auto const day = a.days ? a.days : b.days;
    a.days = day ? day : std::optional<std::int64_t>{0};
    b.days = a.days;
  }
  bool const zoned = a.offset && b.offset;
  if (unit == DurationUnit::seconds || !both_dated) {
    auto const start = reading(a) - (zoned ? offset_nanos(a) : 0);
    auto const end = reading(b) - (zoned ? offset_nanos(b) : 0);
    return from_nanos(0, 0, end - start);
  }
  // Months and days are counted on the first one's clock.
  if (zoned) move_to_clock(a, b);
  auto const months = unit == DurationUnit::days ? 0 : whole_months(a, b);
  if (unit == DurationUnit::months) return {.months = months};
  a.days = add_months(*a.days, months);
  auto const rest = reading(b) - reading(a);
  auto const days = static_cast<std::int64_t>(rest / nanos_per_day);
  if (unit == DurationUnit::days) return {.days = days};
  auto nanos = rest - static_cast<Nanos>(days) * nanos_per_day;
  if (!a.zone.empty() && b.zone == a.zone) {
    // A change of the clock within the last day: what passed is counted on the time line.
    auto moved = a;
    *moved.days += days;
    moved.offset.reset();
    if (settle_offset(moved, zones)) nanos += offset_nanos(moved) - offset_nanos(b);
  }
  return from_nanos(months, days, nanos);
}

}  // namespace whence::queries::cypher
