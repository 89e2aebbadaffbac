// The JSON form of OTLP.

#include "net/capture/otlp.hpp"
#include "net/capture/spans/mapping.hpp"
#include "schema/json/json.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

/// The member of an object; null where there is none, or `from` is no object.
json::value const* member_of(json::value const& from, std::string_view name) {
  auto const* const object = from.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string text_member(json::value const& from, std::string_view name) {
  auto const* const member = member_of(from, name);
  return member != nullptr && member->is_string() ? std::string(member->get_string()) : std::string{};
}

/// A 64-bit integer, as a number or, as protobuf writes it, as text.
std::int64_t integer_of(json::value const* held) {
  if (held == nullptr) return 0;
  if (auto const* const number = held->if_int64()) return *number;
  if (auto const* const number = held->if_uint64()) return static_cast<std::int64_t>(*number);
  if (auto const* const number = held->if_double()) {
    bool const fits = std::abs(*number) < 9.2e18;
    return fits ? static_cast<std::int64_t>(*number) : 0;
  }
  auto const* const text = held->if_string();
  if (text == nullptr) return 0;
  std::int64_t value = 0;
  std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

Nanos nanos_of(json::value const& from, std::string_view name) {
  return static_cast<Nanos>(integer_of(member_of(from, name)));
}

/// The elements of the list `name`; calls `visit` with each.
template <class Visit>
void each_of(json::value const& from, std::string_view name, Visit visit) {
  auto const* const member = member_of(from, name);
  auto const* const list = member == nullptr ? nullptr : member->if_array();
  if (list == nullptr) return;
  for (auto const& element : *list) visit(element);
}

json::value any_value(json::value const& held, int depth);

AttributeMap attributes_of(json::value const& from, std::string_view name, int depth = 0) {
  AttributeMap attributes;
  each_of(from, name, [&](json::value const& pair) {
    auto const* const held = member_of(pair, "value");
    attributes.insert_or_assign(text_member(pair, "key"), held == nullptr ? json::value{} : any_value(*held, depth));
  });
  return attributes;
}

json::value any_value(json::value const& held, int depth) {
  if (depth >= value_depth_max) return {};
  if (auto const* const text = member_of(held, "stringValue")) return *text;
  if (auto const* const text = member_of(held, "bytesValue")) return *text;
  if (auto const* const flag = member_of(held, "boolValue")) return *flag;
  if (auto const* const number = member_of(held, "intValue")) return integer_of(number);
  if (auto const* const number = member_of(held, "doubleValue")) {
    if (number->is_string()) return *number;  // "NaN", "Infinity", "-Infinity"
    return number->is_double() ? number_value(number->get_double()) : json::value(integer_of(number));
  }
  if (auto const* const list = member_of(held, "arrayValue")) {
    json::array values;
    each_of(*list, "values", [&](json::value const& each) { values.push_back(any_value(each, depth + 1)); });
    return values;
  }
  if (auto const* const list = member_of(held, "kvlistValue")) return attributes_of(*list, "values", depth + 1);
  return {};
}

SpanName name_of(json::value const& from) {
  return {.trace = id_from_hex(text_member(from, "traceId"), 16), .span = id_from_hex(text_member(from, "spanId"), 8)};
}

Span span_of(json::value const& from, std::shared_ptr<AttributeMap const> const& resource) {
  Span span{.name = name_of(from),
            .parent = id_from_hex(text_member(from, "parentSpanId"), 8),
            .title = text_member(from, "name"),
            .start = nanos_of(from, "startTimeUnixNano"),
            .end = nanos_of(from, "endTimeUnixNano"),
            .attributes = attributes_of(from, "attributes"),
            .service = service_of(*resource),
            .clock = clock_of(*resource),
            .resource = resource};
  if (auto const* const kind = member_of(from, "kind")) {
    span.is_client = *kind == json::value(3) || *kind == json::value("3") || *kind == json::value("SPAN_KIND_CLIENT");
  }
  if (auto const* const status = member_of(from, "status")) {
    auto const* const code = member_of(*status, "code");
    bool const is_error = code != nullptr && (*code == json::value(2) || *code == json::value("2") ||
                                              *code == json::value("STATUS_CODE_ERROR"));
    if (is_error) add_error(span, text_member(*status, "message"));
  }
  each_of(from, "events", [&](json::value const& event) {
    if (!is_read_event(text_member(event, "name"))) return;
    span.events.push_back({.time = nanos_of(event, "timeUnixNano"),
                           .name = text_member(event, "name"),
                           .attributes = attributes_of(event, "attributes")});
  });
  each_of(from, "links", [&](json::value const& link) {
    if (auto name = name_of(link); is_kept_link(span, name)) span.links.push_back(std::move(name));
  });
  return span;
}

LogRecord log_of(json::value const& from) {
  LogRecord log{.name = name_of(from),
                .event = text_member(from, "eventName"),
                .time = nanos_of(from, "timeUnixNano"),
                .attributes = attributes_of(from, "attributes")};
  if (log.time == 0) log.time = nanos_of(from, "observedTimeUnixNano");
  if (auto const* const body = member_of(from, "body")) log.body = any_value(*body, 0);
  return log;
}

std::shared_ptr<AttributeMap const> resource_of(json::value const& from) {
  auto const* const held = member_of(from, "resource");
  return std::make_shared<AttributeMap const>(held == nullptr ? AttributeMap{} : attributes_of(*held, "attributes"));
}

}  // namespace

Result<Telemetry> decode_json(std::string_view text, Signal signal, std::size_t& unnamed, Growth* growth) {
  auto parsed = schema::json::parse_foreign(text, schema::limits::json_depth_max * 2);
  if (!parsed) return parsed.error();
  auto const& root = parsed->value;
  if (!root.is_object()) return Error{.code = Errc::parse_error, .message = "the body is no object"};
  Telemetry out;
  bool const is_traces = signal == Signal::traces;
  std::string_view broken;  // a list that is none: what it holds would be lost without a word
  auto const each_in = [&](json::value const& from, std::string_view name, auto const& visit) {
    auto const* const member = member_of(from, name);
    if (!from.is_object() || (member != nullptr && !member->is_array() && !member->is_null())) broken = name;
    each_of(from, name, visit);
  };
  each_in(root, is_traces ? "resourceSpans" : "resourceLogs", [&](json::value const& resource) {
    auto const held = resource_of(resource);
    each_in(resource, is_traces ? "scopeSpans" : "scopeLogs", [&](json::value const& scope) {
      each_in(scope, is_traces ? "spans" : "logRecords", [&](json::value const& each) {
        // What it has of texts and values was counted before the body was parsed.
        if (growth != nullptr && !growth->add(is_traces ? span_bytes : log_bytes)) return;
        if (!is_traces) {
          auto log = log_of(each);
          if (names_event(log)) {
            out.logs.push_back(std::move(log));
          } else {
            ++out.empty_logs;
          }
          return;
        }
        auto span = span_of(each, held);
        if (span.name.trace.empty() || span.name.span.empty()) {
          ++unnamed;
        } else {
          out.spans.push_back(std::move(span));
        }
      });
    });
  });
  if (growth != nullptr && growth->is_refused()) return no_room();
  if (!broken.empty())
    return Error{.code = Errc::parse_error, .message = std::string(broken) + ": expected a list of objects"};
  return out;
}

}  // namespace whence::net::capture
