// Reading dates, times and zones from texts of ISO 8601.
#include "queries/cypher/values/calendar.hpp"
#include "queries/cypher/values/moment_parts.hpp"

namespace whence::queries::cypher {
namespace {

/// A cursor over a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  bool accept(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::size_t digits_ahead() const {
    std::size_t count = 0;
    while (at_ + count < text_.size() && text_[at_ + count] >= '0' && text_[at_ + count] <= '9') ++count;
    return count;
  }
  /// Exactly `count` digits.
  std::optional<std::int64_t> number(std::size_t count) {
    if (digits_ahead() < count || count > 18 || count == 0) return std::nullopt;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + (text_[at_++] - '0');
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::int64_t> civil_days(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_of(CivilDate{.year = year, .month = month, .day = day});
}

std::optional<std::int64_t> week_days(Reader& in, std::int64_t year) {
  auto const week = in.number(2);
  if (!week || *week < 1 || *week > weeks_in_year(year)) return std::nullopt;
  std::int64_t day = 1;
  if (bool const dashed = in.accept('-'); dashed || in.digits_ahead() == 1) {
    auto const own = in.number(1);
    if (!own || *own < 1 || *own > 7) return std::nullopt;
    day = *own;
  }
  return days_of(WeekDate{.year = year, .week = *week, .day = day});
}

std::optional<std::int64_t> quarter_days(Reader& in, std::int64_t year) {
  auto const quarter = in.number(1);
  if (!quarter || *quarter < 1 || *quarter > 4) return std::nullopt;
  std::int64_t day = 1;
  if (bool const dashed = in.accept('-'); dashed || in.digits_ahead() == 2) {
    auto const own = in.number(2);
    if (!own || *own < 1 || *own > days_in_quarter(year, *quarter)) return std::nullopt;
    day = *own;
  }
  return days_of(CivilDate{.year = year, .month = *quarter * 3 - 2, .day = 1}) + day - 1;
}

std::optional<std::int64_t> ordinal_days(std::int64_t year, std::int64_t day) {
  if (day < 1 || day > (is_leap(year) ? 366 : 365)) return std::nullopt;
  return days_of(CivilDate{.year = year, .month = 1, .day = 1}) + day - 1;
}

std::optional<std::int64_t> parse_date(Reader& in) {
  bool const is_negative = in.peek() == '-';
  bool const is_signed = in.accept('-') || in.accept('+');
  auto const digits = in.digits_ahead();
  auto year = in.number(is_signed && digits > 4 && digits <= 9 ? digits : 4);
  if (!year) return std::nullopt;
  if (is_negative) year = -*year;
  bool const dashed = in.accept('-');
  if (in.accept('W')) return week_days(in, *year);
  if (in.accept('Q')) return quarter_days(in, *year);
  auto const rest = in.digits_ahead();
  if (dashed) {
    if (rest == 3) return ordinal_days(*year, *in.number(3));
    auto const month = in.number(2);
    if (!month) return std::nullopt;
    if (!in.accept('-')) return civil_days(*year, *month, 1);
    auto const day = in.number(2);
    return day ? civil_days(*year, *month, *day) : std::nullopt;
  }
  if (rest == 3) return ordinal_days(*year, *in.number(3));
  if (rest == 0) return civil_days(*year, 1, 1);
  auto const month = in.number(2);
  if (!month) return std::nullopt;
  if (rest == 2) return civil_days(*year, *month, 1);
  auto const day = in.number(2);
  return day ? civil_days(*year, *month, *day) : std::nullopt;
}

std::optional<std::int64_t> parse_time(Reader& in) {
  auto const hour = in.number(2);
  if (!hour || *hour > 23) return std::nullopt;
  std::int64_t seconds = *hour * 3600;
  bool const coloned = in.accept(':');
  if (coloned || in.digits_ahead() >= 2) {
    auto const minute = in.number(2);
    if (!minute || *minute > 59) return std::nullopt;
    seconds += *minute * 60;
    if (coloned ? in.accept(':') : in.digits_ahead() >= 2) {
      auto const second = in.number(2);
      if (!second || *second > 59) return std::nullopt;
      seconds += *second;
    }
  }
  std::int64_t nanos = 0;
  if (in.accept('.') || in.accept(',')) {
    auto const digits = in.digits_ahead();
    if (digits == 0 || digits > 9) return std::nullopt;
    nanos = *in.number(digits);
    for (auto i = digits; i < 9; ++i) nanos *= 10;
  }
  return seconds * nanos_per_second + nanos;
}

bool parse_zone_parts(Reader& in, MomentParts& parts) {
  if (in.accept('Z') || in.accept('z')) {
    parts.offset = 0;
  } else if (in.peek() == '+' || in.peek() == '-') {
    bool const is_negative = in.accept('-');
    if (!is_negative) in.accept('+');
    auto const hours = in.number(2);
    if (!hours || *hours > 18) return false;
    std::int64_t seconds = *hours * 3600;
    for (std::int64_t unit = 60; unit >= 1; unit /= 60) {
      if (!in.accept(':') && in.digits_ahead() < 2) break;
      auto const part = in.number(2);
      if (!part || *part > 59) return false;
      seconds += *part * unit;
    }
    if (seconds > std::int64_t{18} * 3600) return false;
    parts.offset = static_cast<std::int32_t>(is_negative ? -seconds : seconds);
  }
  if (in.accept('[')) {
    auto const rest = in.rest();
    if (rest.size() < 2 || rest.back() != ']') return false;
    parts.zone = std::string{rest.substr(0, rest.size() - 1)};
    return true;
  }
  return in.at_end();
}

}  // namespace

bool parse_zone_text(std::string_view text, MomentParts& parts) {
  if (text.empty()) return false;
  char const c = text.front();
  bool const is_name = text != "Z" && text != "z" && c != '+' && c != '-';
  if (is_name) {
    parts.zone = std::string{text};
    parts.offset.reset();
    return true;
  }
  Reader in{text};
  parts.zone.clear();
  return parse_zone_parts(in, parts);
}

std::optional<MomentParts> parse_moment(std::string_view text, ValueType type) {
  Reader in{text};
  MomentParts parts;
  bool const has_date = type == ValueType::date || type == ValueType::local_date_time || type == ValueType::date_time;
  bool const has_time = type != ValueType::date;
  if (has_date) {
    parts.days = parse_date(in);
    if (!parts.days) return std::nullopt;
    if (has_time && in.at_end()) {
      parts.nanos = 0;
    } else if (has_time && !in.accept('T')) {
      return std::nullopt;
    }
  }
  if (has_time && !parts.nanos) {
    parts.nanos = parse_time(in);
    if (!parts.nanos) return std::nullopt;
  }
  bool const has_zone = type == ValueType::time || type == ValueType::date_time;
  if (has_zone && !parse_zone_parts(in, parts)) return std::nullopt;
  if (!in.at_end() && !has_zone) return std::nullopt;
  if (type == ValueType::time && !parts.zone.empty()) return std::nullopt;
  return parts;
}

}  // namespace whence::queries::cypher
