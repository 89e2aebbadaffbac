// An id that is no hex of the right length becomes a digest of itself, so that equal ids stay equal. Milliseconds are
// read by their digits, since a double does not hold the nanoseconds of today.

#include "tools/cli/imports/kept_spans.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::uint64_t nanos_a_second = 1'000'000'000;
constexpr std::uint64_t nanos_a_millisecond = 1'000'000;

/// Nanoseconds of a number of milliseconds. Times a million it would be rounded: binary64 has 53 bits.
std::optional<std::uint64_t> nanos_of(json::value const& milliseconds) {
  constexpr std::size_t digits = 6;  // of a millisecond, in nanoseconds
  constexpr std::uint64_t milliseconds_max = 100'000'000'000'000;
  auto const text = schema::json::to_text(milliseconds);
  std::uint64_t whole = 0;
  auto const [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (failure != std::errc{} || whole >= milliseconds_max) return std::nullopt;
  std::string_view fraction{rest, static_cast<std::size_t>(text.data() + text.size() - rest)};
  if (fraction.find_first_of("eE") != std::string_view::npos) return whole * nanos_a_millisecond;  // far below 1
  if (fraction.starts_with('.')) fraction.remove_prefix(1);
  std::string padded{fraction.substr(0, digits)};
  padded.resize(digits, '0');
  return whole * nanos_a_millisecond + std::stoull(padded);
}

/// `digits` hex digits made of an id.
std::string hex_id(std::string_view id, std::size_t digits) {
  std::string hex;
  for (char const c : id) {
    if (c >= 'A' && c <= 'F') {
      hex.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if (c != '-') {
      hex.push_back(c);
    }
  }
  auto const is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  bool const is_zero = hex.find_first_not_of('0') == std::string::npos;
  if (hex.size() == digits && std::ranges::all_of(hex, is_digit) && !is_zero) return hex;
  return schema::to_hex(schema::sha256(id)).substr(0, digits);
}

json::value any_value(json::value const& value) {
  if (auto const* const flag = value.if_bool()) return json::object{{"boolValue", *flag}};
  if (value.is_int64() || value.is_uint64()) return json::object{{"intValue", schema::json::to_text(value)}};
  if (value.is_double()) return json::object{{"doubleValue", value}};
  if (auto const* const text = value.if_string()) return json::object{{"stringValue", *text}};
  if (auto const* const list = value.if_array()) {
    json::array values;
    for (auto const& each : *list) values.push_back(any_value(each));
    return json::object{{"arrayValue", json::object{{"values", std::move(values)}}}};
  }
  return json::object{{"stringValue", schema::json::to_text(value)}};
}

json::array pairs_of(json::object const& attributes) {
  json::array pairs;
  for (auto const& each : attributes)
    pairs.push_back(json::object{{"key", each.key()}, {"value", any_value(each.value())}});
  return pairs;
}

}  // namespace

std::string otlp_of(std::vector<KeptSpan> const& spans) {
  json::array list;
  for (auto const& each : spans) {
    json::object span{{"traceId", each.trace},
                      {"spanId", each.span},
                      {"name", each.name},
                      {"startTimeUnixNano", std::to_string(each.start)},
                      {"endTimeUnixNano", std::to_string(each.end)},
                      {"attributes", pairs_of(each.attributes)}};
    if (!each.parent.empty()) span["parentSpanId"] = each.parent;
    json::array events;
    for (auto const& event : each.events) {
      events.push_back(json::object{{"name", event.name},
                                    {"timeUnixNano", std::to_string(event.time)},
                                    {"attributes", pairs_of(event.attributes)}});
    }
    if (!events.empty()) span["events"] = std::move(events);
    list.push_back(std::move(span));
  }
  json::object const scope{{"spans", std::move(list)}};
  return schema::json::to_text(
      json::object{{"resourceSpans", json::array{json::object{{"scopeSpans", json::array{scope}}}}}});
}

std::string otlp_of(std::vector<KeptRating> const& ratings) {
  json::array list;
  for (auto const& each : ratings) {
    list.push_back(json::object{{"traceId", each.trace},
                                {"spanId", each.span},
                                {"timeUnixNano", std::to_string(each.time)},
                                {"eventName", "gen_ai.evaluation.result"},
                                {"attributes", pairs_of(each.attributes)}});
  }
  json::object const scope{{"logRecords", std::move(list)}};
  return schema::json::to_text(
      json::object{{"resourceLogs", json::array{json::object{{"scopeLogs", json::array{scope}}}}}});
}

std::string trace_id_of(std::string_view id) {
  return hex_id(id, 32);
}

std::string span_id_of(std::string_view id) {
  return hex_id(id, 16);
}

std::optional<std::uint64_t> moment_of(json::value const& value) {
  if (value.is_number()) return nanos_of(value);
  if (!value.is_string()) return std::nullopt;
  std::string text{value.get_string()};
  if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
  auto time = schema::parse_rfc3339(text);
  if (!time) time = schema::parse_rfc3339(text + "Z");
  if (!time || time->seconds < 0) return std::nullopt;
  return static_cast<std::uint64_t>(time->seconds) * nanos_a_second + time->nanos;
}

json::value const* first_of(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const held = from.if_contains(name);
    if (held != nullptr && !held->is_null()) return held;
  }
  return nullptr;
}

json::value const* id_at(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const held = first_of(from, {name});
    if (held != nullptr && *held != json::value("")) return held;
  }
  return nullptr;
}

std::string text_of(json::value const& value) {
  return value.is_string() ? std::string(value.get_string()) : schema::json::to_text(value);
}

void put_error(json::object& attributes, json::value const* why) {
  attributes["otel.status_code"] = "ERROR";
  if (why != nullptr && !text_of(*why).empty()) attributes["otel.status_description"] = text_of(*why);
}

void KeptTelemetry::note(CallResult<void> const& taken, std::size_t item, std::string const& of) {
  if (!taken) refused.push_back(taken.error().message + " (item " + std::to_string(item + 1) + " of " + of + ")");
}

CallError wrong_document(std::string message) {
  return {.exit = ExitCode::invalid_input, .message = std::move(message)};
}

}  // namespace whence::tools
