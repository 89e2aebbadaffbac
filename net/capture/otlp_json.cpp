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

/// The elements of the list `name` that are objects; calls `visit` with each. Others are left out.
template <class Visit>
void each_of(json::value const& from, std::string_view name, LeftOut& left_out, Visit visit) {
  auto const* const member = member_of(from, name);
  if (member == nullptr || member->is_null()) return;
  auto const* const list = member->if_array();
  if (list == nullptr) return left_out.add(name);
  for (auto const& element : *list) {
    if (element.is_object()) {
      visit(element);
    } else {
      left_out.add(name);
    }
  }
}

/// A value of a form that it should not have: as it was said, in JSON where it has parts.
json::value as_said(json::value const& held) {
  return held.is_structured() ? json::value(schema::json::to_text(held)) : held;
}

/// A whole number; what is none of 64 bits is as it was said.
json::value whole_value(json::value const& held) {
  auto const* const text = held.if_string();
  if (text == nullptr) return held.is_double() ? number_value(held.get_double()) : as_said(held);
  std::int64_t value = 0;
  auto const* const end = text->data() + text->size();
  auto const [stop, failure] = std::from_chars(text->data(), end, value);
  return failure == std::errc{} && stop == end ? json::value(value) : held;
}

json::value any_value(json::value const& held, LeftOut& left_out, int depth);

AttributeMap attributes_of(json::value const& from, std::string_view name, LeftOut& left_out, int depth = 0) {
  AttributeMap attributes;
  each_of(from, name, left_out, [&](json::value const& pair) {
    auto const* const held = member_of(pair, "value");
    auto const key = text_member(pair, "key");
    bool const is_first = left_out.count == 0;
    attributes.insert_or_assign(key, held == nullptr ? json::value{} : any_value(*held, left_out, depth));
    if (is_first && left_out.count > 0) left_out.first = key;  // the outermost: of a span, a log record or a resource
  });
  return attributes;
}

json::value any_value(json::value const& held, LeftOut& left_out, int depth) {
  if (depth >= value_depth_max) {
    left_out.add("value");
    return {};
  }
  for (auto const* const name : {"stringValue", "bytesValue", "boolValue"}) {
    if (auto const* const plain = member_of(held, name)) return as_said(*plain);
  }
  if (auto const* const number = member_of(held, "intValue")) return whole_value(*number);
  if (auto const* const number = member_of(held, "doubleValue")) {
    if (number->is_string()) return *number;  // "NaN", "Infinity", "-Infinity"
    return whole_value(*number);
  }
  if (auto const* const list = member_of(held, "arrayValue")) {
    json::array values;
    each_of(*list, "values", left_out,
            [&](json::value const& each) { values.push_back(any_value(each, left_out, depth + 1)); });
    return values;
  }
  if (auto const* const list = member_of(held, "kvlistValue")) {
    return attributes_of(*list, "values", left_out, depth + 1);
  }
  bool const is_empty = held.is_object() && held.get_object().empty();
  return is_empty ? json::value{} : as_said(held);
}

SpanName name_of(json::value const& from) {
  return {.trace = id_from_hex(text_member(from, "traceId"), 16), .span = id_from_hex(text_member(from, "spanId"), 8)};
}

Span span_of(json::value const& from, std::shared_ptr<AttributeMap const> const& resource, LeftOut& left_out) {
  Span span{.name = name_of(from),
            .parent = id_from_hex(text_member(from, "parentSpanId"), 8),
            .title = text_member(from, "name"),
            .start = nanos_of(from, "startTimeUnixNano"),
            .end = nanos_of(from, "endTimeUnixNano"),
            .attributes = attributes_of(from, "attributes", left_out),
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
  each_of(from, "events", left_out, [&](json::value const& event) {
    if (!is_read_event(text_member(event, "name"))) return;
    span.events.push_back({.time = nanos_of(event, "timeUnixNano"),
                           .name = text_member(event, "name"),
                           .attributes = attributes_of(event, "attributes", left_out)});
  });
  each_of(from, "links", left_out, [&](json::value const& link) {
    if (auto name = name_of(link); is_kept_link(span, name)) span.links.push_back(std::move(name));
  });
  return span;
}

LogRecord log_of(json::value const& from, LeftOut& left_out) {
  LogRecord log{.name = name_of(from),
                .event = text_member(from, "eventName"),
                .time = nanos_of(from, "timeUnixNano"),
                .attributes = attributes_of(from, "attributes", left_out)};
  if (log.time == 0) log.time = nanos_of(from, "observedTimeUnixNano");
  if (auto const* const body = member_of(from, "body")) log.body = any_value(*body, left_out, 0);
  return log;
}

std::shared_ptr<AttributeMap const> resource_of(json::value const& from, LeftOut& left_out) {
  auto const* const held = member_of(from, "resource");
  return std::make_shared<AttributeMap const>(held == nullptr ? AttributeMap{}
                                                              : attributes_of(*held, "attributes", left_out));
}

/// How deeply a body may be nested: 32 levels of a value are 4 each in JSON.
constexpr std::size_t body_depth_max = 24 + 4 * static_cast<std::size_t>(value_depth_max);

/// `text` with null in the place of each object and list that lies deeper than `body_depth_max`. What is no JSON stays
/// so.
std::string without_depths(std::string_view text) {
  std::string result;
  std::size_t depth = 0;
  std::size_t kept = 0;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const c = text[at];
    if (is_in_text) {
      if (c == '\\') ++at;
      is_in_text = c != '"';
    } else if (c == '"') {
      is_in_text = true;
    } else if (c == '[' || c == '{') {
      if (depth++ == body_depth_max) result.append(text.substr(kept, at - kept)).append("null");
    } else if ((c == ']' || c == '}') && depth > 0) {
      if (--depth == body_depth_max) kept = at + 1;
    }
  }
  return depth > body_depth_max ? std::string(text) : result.append(text.substr(kept));
}

Result<schema::json::Document> parse_body(std::string_view text) {
  auto parsed = schema::json::parse_foreign(text, body_depth_max);
  if (parsed) return parsed;
  auto const shallow = without_depths(text);
  return shallow == text ? parsed : schema::json::parse_foreign(shallow, body_depth_max);
}

}  // namespace

Result<Telemetry> decode_json(std::string_view text, Signal signal, std::size_t& unnamed, Growth* growth) {
  auto parsed = parse_body(text);
  if (!parsed) return parsed.error();
  auto const& root = parsed->value;
  if (!root.is_object()) return Error{.code = Errc::parse_error, .message = "the body is no object"};
  Telemetry out;
  bool const is_traces = signal == Signal::traces;
  std::string_view const resources = is_traces ? "resourceSpans" : "resourceLogs";
  auto const* const all = member_of(root, resources);
  if (all != nullptr && !all->is_array() && !all->is_null())
    return Error{.code = Errc::parse_error, .message = std::string(resources) + ": expected a list of objects"};
  auto const each_in = [&](json::value const& from, std::string_view name, auto const& visit) {
    each_of(from, name, out.left_out, visit);
  };
  each_in(root, resources, [&](json::value const& resource) {
    auto const held = resource_of(resource, out.left_out);
    each_in(resource, is_traces ? "scopeSpans" : "scopeLogs", [&](json::value const& scope) {
      each_in(scope, is_traces ? "spans" : "logRecords", [&](json::value const& each) {
        // What it has of texts and values was counted before the body was parsed.
        if (growth != nullptr && !growth->add(is_traces ? span_bytes : log_bytes)) return;
        if (!is_traces) {
          auto log = log_of(each, out.left_out);
          if (names_event(log)) {
            out.logs.push_back(std::move(log));
          } else {
            ++out.empty_logs;
          }
          return;
        }
        auto span = span_of(each, held, out.left_out);
        if (span.name.trace.empty() || span.name.span.empty()) {
          ++unnamed;
        } else {
          out.spans.push_back(std::move(span));
        }
      });
    });
  });
  if (growth != nullptr && growth->is_refused()) return no_room();
  return out;
}

}  // namespace whence::net::capture
