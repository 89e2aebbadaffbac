// Converting flags to params.

#include "tools/cli/options/param_flags.hpp"

#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t const comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Error refuse(BoundFlag const& bound, std::string_view expected) {
  return {.code = Errc::invalid_params,
          .message = flag_name(bound.flag.name) + ": \"" + bound.values.front() + "\" is not " + std::string{expected}};
}

Result<json::value> number_of(BoundFlag const& bound) {
  Result<schema::json::Document> parsed = schema::json::parse(bound.values.front());
  if (!parsed || !parsed->value.is_number()) return refuse(bound, "a number");
  return std::move(parsed->value);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

json::array strings_of(std::vector<std::string_view> const& parts) {
  json::array list;
  for (std::string_view part : parts) list.emplace_back(part);
  return list;
}

/// A day's last moment, in UTC; nothing where `text` is no date.
std::optional<std::string> end_of_day(std::string_view text) {
  auto end = std::string{text} + "T23:59:59.999999999Z";
  return text.size() == 10 && schema::parse_rfc3339(end) ? std::optional{std::move(end)} : std::nullopt;
}

Result<json::value> range_of(BoundFlag const& bound) {
  std::vector<std::string_view> const ends = split_at_commas(bound.values.front());
  if (ends.size() != 2) return refuse(bound, "T0,T1, either of them null or left out");
  auto const now = schema::SystemClock{}.now();
  auto const end_of = [](std::string_view text, std::string const& moment) {
    return text.empty() || text == "null" ? json::value() : json::value(moment);
  };
  return json::value(
      json::array{end_of(ends[0], beginning_of(ends[0], now)), end_of(ends[1], moment_of(ends[1], now))});
}

Result<json::value> moment_value_of(BoundFlag const& bound) {
  std::string const& text = bound.values.front();
  if (is_digits(text)) return number_of(bound);
  auto const now = schema::SystemClock{}.now();
  auto const moment = bound.flag.name == "since" ? beginning_of(text, now) : moment_of(text, now);
  if (schema::parse_rfc3339(moment)) return json::value(moment);
  return refuse(bound, "a transaction, a time (2025-10-11T09:00:00Z), a date, now, today, yesterday or -2h");
}

// Parentheses, not braces: a braced json::value is an array of one.
Result<json::value> value_of(BoundFlag const& bound) {
  switch (bound.flag.kind) {
    case FlagKind::boolean:
      return json::value(bound.values.front() == "true");
    case FlagKind::number:
      return number_of(bound);
    case FlagKind::names:
      return json::value(strings_of(split_at_commas(bound.values.front())));
    case FlagKind::texts:
      return json::value(strings_of({bound.values.begin(), bound.values.end()}));
    case FlagKind::range:
      return range_of(bound);
    case FlagKind::moment:
      return moment_value_of(bound);
    case FlagKind::text:
    case FlagKind::special:
      break;
  }
  return json::value(bound.values.front());
}

std::string type_name_of(FlagKind kind) {
  switch (kind) {
    case FlagKind::number:
      return "NUMBER";
    case FlagKind::names:
      return "A,B";
    case FlagKind::moment:
      return "TX|TIME";
    case FlagKind::range:
      return "T0,T1";
    default:
      return "TEXT";
  }
}

}  // namespace

std::string beginning_of(std::string_view text, schema::Time now) {
  auto moment = moment_of(text, now);
  constexpr std::string_view day_end = "T23:59:59.999999999Z";
  if (moment != text && moment.ends_with(day_end))
    moment.replace(moment.size() - day_end.size(), day_end.size(), "T00:00:00Z");
  return moment;
}

std::string moment_of(std::string_view text, schema::Time now) {
  constexpr std::int64_t day_s = 86'400;
  auto const day_of = [](schema::Time time) { return schema::format_rfc3339(time).substr(0, 10); };
  if (text == "now") return schema::format_rfc3339(now);
  if (text == "today") return *end_of_day(day_of(now));
  if (text == "yesterday") return *end_of_day(day_of({.seconds = now.seconds - day_s}));
  if (auto end = end_of_day(text)) return *std::move(end);
  constexpr std::string_view units = "smhd";
  constexpr std::array<std::int64_t, 4> unit_s = {1, 60, 3'600, day_s};
  auto const unit = text.empty() ? std::string_view::npos : units.find(text.back());
  auto const count = text.size() > 2 ? text.substr(1, text.size() - 2) : std::string_view{};
  if (!text.starts_with('-') || unit == std::string_view::npos || !is_digits(count) || count.size() > 9)
    return std::string{text};
  std::int64_t back = 0;
  std::from_chars(count.data(), count.data() + count.size(), back);
  schema::Time const moment{.seconds = now.seconds - back * unit_s[unit], .nanos = now.nanos};
  auto written = schema::format_rfc3339(moment);
  return schema::parse_rfc3339(written) == moment ? written : std::string{text};  // else before the first year
}

ParamFlag as_of_flag() {
  return {
      "as_of", FlagKind::moment, false,
      "Answers as of this transaction or time; also a date, today or yesterday (its end, UTC), now, -2h, -30m, -7d."};
}

std::vector<ParamFlag> common_read_flags() {
  return {
      as_of_flag(),
      {"min_tx", FlagKind::number, false, "Waits until this transaction is visible."},
      {"timeout_ms", FlagKind::number, false, "Milliseconds the evaluation may take."},
      {"limit", FlagKind::number, false, "At most so many items; all of them where not given."},
      {"cursor", FlagKind::text, false, "Continues the answer this cursor came with."},
  };
}

std::string flag_name(std::string_view param) {
  std::string name = "--" + std::string{param};
  for (std::size_t i = 0; i < name.size(); ++i) {
    bool const is_upper = name[i] >= 'A' && name[i] <= 'Z';
    if (is_upper) name[i] = static_cast<char>(name[i] - 'A' + 'a');
    if (is_upper) name.insert(i, 1, '-');
    if (name[i] == '_') name[i] = '-';
  }
  return name;
}

void add_flag(CLI::App& verb, BoundFlag& bound, bool is_positional) {
  std::string const doc{bound.flag.doc};
  std::string const name = flag_name(bound.flag.name);
  if (bound.flag.kind == FlagKind::boolean) {
    auto const take = [&bound](std::int64_t count) { bound.values = {count > 0 ? "true" : "false"}; };
    verb.add_flag_function(name, take, doc);
    return;
  }
  std::string const names = is_positional ? name + "," + std::string{bound.flag.name} : name;
  CLI::Option* const option = bound.flag.kind == FlagKind::texts
                                  ? verb.add_option(names, bound.values, doc)
                                  : verb.add_option_function<std::string>(
                                        names, [&bound](std::string const& value) { bound.values = {value}; }, doc);
  option->type_name(bound.flag.placeholder.empty() ? type_name_of(bound.flag.kind) : bound.flag.placeholder);
  if (bound.flag.is_required) option->required();
}

Result<void> put_param(json::object& params, BoundFlag const& bound) {
  if (bound.values.empty()) return {};
  Result<json::value> value = value_of(bound);
  if (!value) return value.error();
  params[bound.flag.name] = std::move(*value);
  return {};
}

}  // namespace whence::tools
