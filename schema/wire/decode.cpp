// The kinds of values that members have, read from JSON.
#include "schema/wire/decode.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

/// The text of a string value; reports rule "type" on any other.
std::optional<std::string_view> text_of(bj::value const& value, Path const& at, Report& report) {
  if (auto const* const text = value.if_string()) return std::string_view{*text};
  refuse(value, "type", at, report, "must be a string");
  return std::nullopt;
}

std::optional<double> number_of(bj::value const& value) noexcept {
  switch (value.kind()) {
    case bj::kind::int64:
      return static_cast<double>(value.get_int64());
    case bj::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case bj::kind::double_:
      return value.get_double();
    default:
      return std::nullopt;
  }
}

/// An integer that every client can hold exactly: 1.0 is 1.
std::optional<std::int64_t> integer_of(bj::value const& value, Path const& at, Report& report) {
  auto const number = number_of(value);
  if (!number) {
    refuse(value, "type", at, report, "must be an integer");
    return std::nullopt;
  }
  // 2^53 - 1 is a double itself and larger integers do not round down to it, so this comparison is exact.
  if (*number != std::trunc(*number) || std::abs(*number) > static_cast<double>(limits::integer_max)) {
    refuse(value, "integer", at, report, "must be an integer of at most 2^53 - 1");
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

template <class Integer>
void decode_unsigned(bj::value const& value, Integer& into, Path const& at, Report& report) {
  auto const integer = integer_of(value, at, report);
  if (!integer) return;
  if (!std::in_range<Integer>(*integer)) {
    return refuse(value, "range", at, report, *integer < 0 ? "must not be negative" : "is too large");
  }
  into = static_cast<Integer>(*integer);
}

/// A name from one of the tables. The refusal of another is "is no", what, and what `ending` makes of the name.
template <class Enum, class Find, class Ending>
void decode_name(bj::value const& value, Enum& into, Find find, std::string_view what, Ending const& ending,
                 Path const& at, Report& report) {
  auto const text = text_of(value, at, report);
  if (!text) return;
  if (auto const found = find(*text)) {
    into = *found;
  } else {
    refuse(value, "enum", at, report, std::string{"is no "}.append(what).append(ending(*text)));
  }
}

std::vector<std::string_view> edge_type_names() {
  std::vector<std::string_view> names;
  for (EdgeRule const& rule : edge_rules()) {
    if (std::ranges::find(names, name_of(rule.type)) == names.end()) names.push_back(name_of(rule.type));
  }
  return names;
}

template <class Enum, class Set>
void decode_set(bj::value const& value, Set& into, Rule const& rule, Path const& at, Report& report) {
  std::vector<Enum> items;
  decode_value(value, items, rule, at, report);
  if (report.has_within(at)) return;
  for (Enum const item : items) into.insert(item);
}

}  // namespace

void decode_value(bj::value const& value, std::string& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (auto const text = text_of(value, at, report)) into = *text;
}

void decode_value(bj::value const& value, bool& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (auto const* const flag = value.if_bool()) {
    into = *flag;
  } else {
    refuse(value, "type", at, report, "must be true or false");
  }
}

void decode_value(bj::value const& value, double& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (auto const number = number_of(value)) {
    into = *number;
  } else {
    refuse(value, "type", at, report, "must be a number");
  }
}

void decode_value(bj::value const& value, float& into, Rule const& /*rule*/, Path const& at, Report& report) {
  auto const number = number_of(value);
  if (!number) return refuse(value, "type", at, report, "must be a number");
  // The shortest text of the largest binary32 lies a little above it: what rounds to a finite number is taken.
  auto const rounded = static_cast<float>(*number);
  if (!std::isfinite(rounded)) return refuse(value, "range", at, report, "is beyond what binary32 holds");
  into = rounded;
}

void decode_value(bj::value const& value, std::int64_t& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (auto const integer = integer_of(value, at, report)) into = *integer;
}

void decode_value(bj::value const& value, std::uint64_t& into, Rule const& /*rule*/, Path const& at, Report& report) {
  decode_unsigned(value, into, at, report);
}

void decode_value(bj::value const& value, std::uint32_t& into, Rule const& /*rule*/, Path const& at, Report& report) {
  decode_unsigned(value, into, at, report);
}

void decode_value(bj::value const& value, Time& into, Rule const& /*rule*/, Path const& at, Report& report) {
  auto const text = text_of(value, at, report);
  if (!text) return;
  if (auto const time = parse_rfc3339(*text)) {
    into = *time;
  } else {
    refuse(value, "format", at, report, "must be an RFC 3339 date-time such as 2025-10-09T16:15:00Z");
  }
}

void decode_value(bj::value const& value, EpochMs& into, Rule const& rule, Path const& at, Report& report) {
  decode_value(value, into.value, rule, at, report);
}

void decode_value(bj::value const& value, Attributes& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (!value.is_object()) return refuse(value, "type", at, report, "must be an object");
  into.json = to_canonical_text(value);
}

void decode_value(bj::value const& value, QuestionSet& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (!value.is_object()) return refuse(value, "type", at, report, "must be an object");
  into.json = to_text(value);
  into.sorted = to_canonical_text(value);
  if (into.sorted == into.json) into.sorted.clear();
}

void decode_value(bj::value const& value, ProvAttributes& into, Rule const& /*rule*/, Path const& at, Report& report) {
  if (check_prov_attributes(value, at, report)) into.json = to_sorted_text(value);
}

void decode_value(bj::value const& value, PrefixMap& into, Rule const& /*rule*/, Path const& at, Report& report) {
  auto const* const object = value.if_object();
  if (object == nullptr) return refuse(value, "type", at, report, "must be an object");
  for (auto const& member : *object) {
    Path const place{at, member.key()};
    if (auto const iri = text_of(member.value(), place, report)) into.entries.emplace_back(member.key(), *iri);
  }
  std::ranges::sort(into.entries);
}

std::string is_none_of(std::string_view unknown, std::span<std::string_view const> names) {
  std::string message = "is no ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    message.append(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ").append(names[i]);
  }
  return message + did_you_mean(unknown, names);
}

std::string must_be_one_of(std::string_view unknown, std::span<std::string_view const> names) {
  std::string message;
  for (auto const name : names) message.append(message.empty() ? "must be one of " : ", ").append(name);
  return message + did_you_mean(unknown, names);
}

std::optional<std::size_t> decode_name_among(bj::value const& value, std::span<std::string_view const> names,
                                             std::string (*refusal)(std::string_view,
                                                                    std::span<std::string_view const>),
                                             Path const& at, Report& report) {
  auto const text = text_of(value, at, report);
  if (!text) return std::nullopt;
  auto const found = std::ranges::find(names, *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse(value, "enum", at, report, refusal(*text, names));
  return std::nullopt;
}

void decode_value(bj::value const& value, RecordType& into, Rule const& /*rule*/, Path const& at, Report& report) {
  decode_name(
      value, into, find_record_type, "record type",
      [](std::string_view name) { return alternatives(name, names_in(record_types())); }, at, report);
}

void decode_value(bj::value const& value, EdgeType& into, Rule const& /*rule*/, Path const& at, Report& report) {
  decode_name(
      value, into, find_edge_type, "edge type",
      [](std::string_view name) { return alternatives(name, edge_type_names()); }, at, report);
}

void decode_value(bj::value const& value, NodeRef& into, Rule const& /*rule*/, Path const& at, Report& report) {
  auto const text = text_of(value, at, report);
  if (!text) return;
  if (auto ref = parse_ref(*text)) {
    into = *std::move(ref);
  } else {
    refuse(value, "ref", at, report, ref.error().message);
  }
}

void decode_value(bj::value const& value, RecordTypeSet& into, Rule const& rule, Path const& at, Report& report) {
  decode_set<RecordType>(value, into, rule, at, report);
}

void decode_value(bj::value const& value, EdgeTypeSet& into, Rule const& rule, Path const& at, Report& report) {
  decode_set<EdgeType>(value, into, rule, at, report);
}

}  // namespace whence::schema::json
