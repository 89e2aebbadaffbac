// From attributes to what they mean. Nothing here knows a name of an attribute that is not in the mapping table, but
// for the members of messages and documents.

#include "net/capture/spans/read_telemetry.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/captured_span.hpp"
#include "net/capture/spans/events.hpp"
#include "net/capture/spans/log_records.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/span_kind.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace whence::net::capture {

namespace {

constexpr std::size_t plain_title_max = 200;

/// What a message holds, and what is made of it later: its text is in a prompt, and in records of its own.
std::size_t bytes_of(Message const& message) {
  constexpr std::size_t text_factor = 4;
  constexpr std::size_t record_bytes = 512;
  auto bytes = sizeof(Message) + record_bytes + text_factor * (message.text.size() + message.reasoning.size());
  for (auto const& result : message.results) bytes += sizeof(ToolResult) + text_factor * result.text.size();
  return bytes;
}

std::size_t bytes_of(CapturedSpan const& span) {
  auto bytes = sizeof(CapturedSpan) + span.prompt.size() + 2 * span.answer.size() + span.arguments.size();
  for (auto const& each : span.input) bytes += bytes_of(each);
  constexpr std::size_t chunk_bytes = 3'500;  // of a chunk, its document, and what the graph has of both
  for (auto const& each : span.passages) bytes += sizeof(Passage) + chunk_bytes + 4 * each.content.size();
  for (auto const& each : span.embeddings) bytes += each.text.size() + 3 * each.numbers.size() * sizeof(float);
  return bytes + span.rest.size() * 64;
}

/// Times that are not given: a span without a start has its end, one without both the time of arrival.
void set_missing_times(Span& span, Nanos now) {
  if (span.start != 0) return;
  span.attributes.emplace(time_not_given, span.end == 0 ? "start and end" : "start");
  if (span.end == 0) span.end = now;
  span.start = span.end;
}

/// Cuts times that are ahead of `now` to it, within `ahead_max`. By how much the later one was.
Nanos cut_to(Span& span, Nanos now) {
  auto const last = std::max(span.start, span.end);
  if (last <= now || last > now + ahead_max) return 0;
  span.start = std::min(span.start, now);
  span.end = std::min(span.end, now);
  for (auto& event : span.events) event.time = std::min(event.time, now);
  return last - now;
}

/// Events of a span that one of its attributes holds as JSON, each with its name (Pydantic AI, older): they are events
/// like others. What is no event that is read stays.
void take_told_events(Span& span, AttributeMap& all) {
  auto* const held = all.if_contains("events");
  auto value = held == nullptr ? boost::json::value{} : structured(*held);
  auto* const list = value.if_array();
  if (list == nullptr) return;
  boost::json::array left;
  for (auto& each : *list) {
    auto* const event = each.if_object();
    std::string const name(event == nullptr ? std::string_view{} : string_at(*event, {"event.name"}));
    if (find_event(name) == nullptr) {
      left.push_back(std::move(each));
      continue;
    }
    event->erase("event.name");
    span.events.push_back({.time = span.start, .name = name, .attributes = std::move(*event)});
  }
  if (left.size() == list->size()) return;
  if (left.empty()) {
    all.erase("events");
  } else {
    *held = text_of(boost::json::value(std::move(left)));
  }
}

/// Into which every value is written as JSON, a text in quotes too.
constexpr std::array<char const*, 10> json_names = {
    "traceloop.entity.input", "traceloop.entity.output", "genkit:input",          "genkit:output",
    "mlflow.spanInputs",      "mlflow.spanOutputs",      "braintrust.input_json", "braintrust.output_json",
    "lmnr.span.input",        "lmnr.span.output"};

/// What a span was given and gave, where it is a text in quotes, or stands in an object beside its type (LangWatch).
void unwrap_values(AttributeMap& all) {
  for (auto const* const name : json_names) {
    auto* const held = all.if_contains(name);
    auto const* const text = held == nullptr ? nullptr : held->if_string();
    if (text == nullptr || !text->starts_with('"')) continue;
    auto read = schema::json::parse_foreign({text->data(), text->size()});
    if (read && read->value.is_string()) *held = std::move(read->value);
  }
  for (auto const* const name : {"langwatch.input", "langwatch.output", "langwatch.contexts", "langwatch.metrics"}) {
    auto* const held = all.if_contains(name);
    auto const value = held == nullptr ? boost::json::value{} : structured(*held);
    auto const* const object = value.if_object();
    auto const* const inner = object == nullptr ? nullptr : object->if_contains("value");
    if (inner != nullptr && object->size() == 2 && object->contains("type")) *held = text_of(*inner);
  }
}

}  // namespace

Nanos now_nanos() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<Nanos>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Captured read_telemetry(Telemetry telemetry, Nanos now, Growth* growth) {
  Captured out;
  out.dropped_logs = telemetry.empty_logs;
  out.left_out = std::move(telemetry.left_out);
  Growth unbounded;
  auto& grown = growth == nullptr ? unbounded : *growth;
  for (auto& span : telemetry.spans) {
    if (grown.is_refused()) return out;
    set_missing_times(span, now);
    auto const ahead = cut_to(span, now);
    auto all = std::move(span.attributes);
    take_told_events(span, all);
    unwrap_values(all);
    for (auto const& event : span.events) {  // the messages of a call are joined with those that its span says
      if (!is_known_event(event.name)) ++out.not_understood[unknown_event(event.name)];
      if (!is_details_event(event.name)) continue;
      bool const is_of_call = event.name == details_event;
      for (auto const& pair : event.attributes) {
        if (!is_of_call || !is_of_messages(pair.key())) all.emplace(pair.key(), pair.value());
      }
    }
    Attributes attributes(all);
    auto const kind = kind_of(span, attributes);
    if (auto const unknown = unknown_kind(kind, attributes); !unknown.empty()) ++out.not_understood[unknown];
    if (!kind) {
      if (out.dropped_example.empty()) out.dropped_example = span.title;
      out.plain.push_back({.name = span.name,
                           .parent = span.parent,
                           .title = schema::cut(span.title, plain_title_max),
                           .start = span.start,
                           .end = std::max(span.start, span.end),
                           .own = belonging_of(attributes)});
      continue;
    }
    out.spans.push_back(captured(std::move(span), *kind, attributes));
    out.spans.back().ahead_ms = ahead / 1'000'000;
    grown.add(bytes_of(out.spans.back()));
    out.unknown_attributes += out.spans.back().rest.size();
    if (auto const beyond = out.spans.back().documents_left_out; beyond > 0) {
      if (out.left_out.count == 0) out.left_out.first = "documents";
      out.left_out.count += beyond;
    }
  }
  Places places;
  for (auto const& log : telemetry.logs) {
    auto const before = out.messages.size();
    read_log(log, now, places, out);
    for (auto i = before; i < out.messages.size(); ++i) grown.add(bytes_of(out.messages[i].message));
    if (grown.is_refused()) break;
  }
  return out;
}

}  // namespace whence::net::capture
