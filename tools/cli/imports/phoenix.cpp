// Spans of Phoenix: OpenInference's attributes, nested or under dotted names.

#include "schema/json/json.hpp"
#include "tools/cli/imports/kept_spans.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view attributes_prefix = "attributes.";
constexpr int depth_max = 32;

/// Puts `value` under its dotted name: members and the places of lists of objects are steps of it. Metadata and lists
/// of plain values stay one value.
void flatten(std::string const& name, json::value const& value, json::object& attributes, int depth = 0) {
  auto const* const object = value.if_object();
  bool const is_free = name == "metadata" || name.ends_with(".metadata") || name.ends_with("invocation_parameters");
  if (depth >= depth_max || (object != nullptr && is_free)) {
    attributes[name] = text_of(value);
  } else if (object != nullptr) {
    for (auto const& member : *object)
      flatten(name + "." + std::string(member.key()), member.value(), attributes, depth + 1);
  } else if (auto const* const list = value.if_array();
             list != nullptr && std::ranges::any_of(*list, [](json::value const& each) { return each.is_object(); })) {
    for (std::size_t i = 0; i < list->size(); ++i)
      flatten(name + "." + std::to_string(i), (*list)[i], attributes, depth + 1);
  } else if (!value.is_null()) {
    attributes[name] = value;
  }
}

/// The members of an annotation: nested, or as columns of a data frame.
json::value const* member_of_result(json::object const& from, std::string_view name) {
  auto const* const result = first_of(from, {"result"});
  auto const* const nested = result == nullptr ? nullptr : result->if_object();
  if (auto const* const held = nested == nullptr ? nullptr : first_of(*nested, {name})) return held;
  return first_of(from, {"result." + std::string(name), name});
}

/// Members of an annotation that are read, or are of its row; the others are kept as attributes `phoenix.NAME`.
constexpr auto read_of_annotation =
    std::to_array<std::string_view>({"span_id", "context.span_id", "trace_id", "context.trace_id", "created_at",
                                     "updated_at", "name", "annotation_name", "result", "result.score", "result.label",
                                     "result.explanation", "score", "label", "explanation"});

void put_others_of_annotation(json::object& attributes, json::object const& from) {
  for (auto const& member : from) {
    auto const& value = member.value();
    bool const is_empty = value.is_null() || value == json::value("") || value == json::value(json::object{});
    std::string_view const name = member.key();
    if (is_empty || std::ranges::find(read_of_annotation, name) != read_of_annotation.end()) continue;
    attributes["phoenix." + std::string(name)] = value.is_structured() ? json::value(text_of(value)) : value;
  }
}

/// What somebody thought of a span. `trace` and `span` where it is within that; else it names its span and no trace, or
/// its trace alone.
void add_annotation(json::object const& from, std::string const& trace, std::string const& span, KeptTelemetry& kept) {
  auto const* const span_id = id_at(from, {"span_id", "context.span_id"});
  KeptRating rating{.trace = trace, .span = span};
  if (span.empty() && span_id != nullptr) rating.span = span_id_of(text_of(*span_id));
  if (auto const* const own = id_at(from, {"trace_id", "context.trace_id"})) rating.trace = trace_id_of(text_of(*own));
  if (rating.span.empty() && rating.trace.empty()) {
    ++kept.left_out;
    return;
  }
  auto const* const time = first_of(from, {"updated_at", "created_at"});
  if (time != nullptr) rating.time = moment_of(*time).value_or(0);
  auto& attributes = rating.attributes;
  auto const put = [&](std::string_view name, json::value const* value) {
    if (value != nullptr) attributes[name] = text_of(*value);
  };
  put("gen_ai.evaluation.name", first_of(from, {"name", "annotation_name"}));
  auto const* const score = member_of_result(from, "score");
  if (score != nullptr && score->is_number()) attributes["gen_ai.evaluation.score.value"] = *score;
  put("gen_ai.evaluation.score.label", member_of_result(from, "label"));
  put("gen_ai.evaluation.explanation", member_of_result(from, "explanation"));
  bool const says_something =
      attributes.contains("gen_ai.evaluation.score.value") || attributes.contains("gen_ai.evaluation.score.label");
  if (!says_something && attributes.contains("gen_ai.evaluation.explanation"))
    attributes["gen_ai.evaluation.score.label"] = "note";
  put_others_of_annotation(attributes, from);
  kept.ratings.push_back(std::move(rating));
}

bool is_annotation(json::object const& from) {
  auto const has = [&](char const* name) { return from.contains(name); };
  constexpr auto of_annotations =
      std::to_array<char const*>({"annotator_kind", "result", "result.score", "result.label", "score", "label"});
  return first_of(from, {"start_time"}) == nullptr && std::ranges::any_of(of_annotations, has);
}

/// An event of a span, with its attributes nested, under dotted names or as columns.
KeptEvent event_of(json::object const& from, std::uint64_t begin) {
  auto const* const name = first_of(from, {"name"});
  auto const* const time = first_of(from, {"timestamp"});
  KeptEvent event{.name = name == nullptr ? std::string{} : text_of(*name),
                  .time = time == nullptr ? begin : moment_of(*time).value_or(begin)};
  for (auto const& member : from) {
    std::string_view const key = member.key();
    if (key == "attributes" && member.value().is_object()) {
      for (auto const& each : member.value().get_object())
        flatten(std::string(each.key()), each.value(), event.attributes);
    } else if (key.starts_with(attributes_prefix)) {
      flatten(std::string(key.substr(attributes_prefix.size())), member.value(), event.attributes);
    } else if (key.starts_with("exception.")) {
      event.attributes[key] = member.value();
    }
  }
  return event;
}

/// Of the events of a span those that are messages or ratings stay events; of an exception, the last one, its type and
/// words are why the span failed where nothing else says.
void add_events(json::object const& from, KeptSpan& span) {
  auto const* const held = first_of(from, {"events"});
  auto const unfolded = held != nullptr && held->is_string() ? schema::json::parse_foreign(text_of(*held))
                                                             : Result<schema::json::Document>{schema::json::Document{}};
  auto const* const events = held == nullptr ? nullptr : held->is_string() && unfolded ? &unfolded->value : held;
  if (events == nullptr || !events->is_array()) return;
  auto& attributes = span.attributes;
  for (auto const& each : events->get_array()) {
    if (!each.is_object()) continue;
    auto event = event_of(each.get_object(), span.start);
    if (event.name == "exception") {
      for (auto const* const part : {"exception.type", "exception.message"}) {
        if (auto const* const found = first_of(event.attributes, {part})) attributes[part] = text_of(*found);
      }
    } else if (!event.name.empty()) {
      span.events.push_back(std::move(event));
    }
  }
  auto const* const why = attributes.if_contains("exception.message");
  bool const has_failed = attributes.contains("otel.status_code") && !attributes.contains("otel.status_description");
  if (has_failed && why != nullptr) put_error(attributes, why);
}

CallResult<void> add_span(json::object const& from, KeptTelemetry& kept) {
  if (is_annotation(from)) {
    add_annotation(from, {}, {}, kept);
    return {};
  }
  auto const* const context = first_of(from, {"context"});
  auto const within = context != nullptr && context->is_object() ? context->get_object() : json::object{};
  auto const* trace = first_of(from, {"context.trace_id", "trace_id"});
  if (trace == nullptr) trace = first_of(within, {"trace_id"});
  auto const* span_id = first_of(from, {"context.span_id", "span_id"});
  if (span_id == nullptr) span_id = first_of(within, {"span_id"});
  auto const* const start = first_of(from, {"start_time"});
  if (trace == nullptr || !trace->is_string()) return wrong_document("a span needs a context.trace_id");
  if (span_id == nullptr || !span_id->is_string()) return wrong_document("a span needs a context.span_id");
  auto const began = start == nullptr ? std::nullopt : moment_of(*start);
  if (!began) return wrong_document("a span needs a start_time");
  auto const* const end = first_of(from, {"end_time"});
  auto const ended = end == nullptr ? std::nullopt : moment_of(*end);
  auto const* const parent = id_at(from, {"parent_id"});
  auto const* const name = first_of(from, {"name"});
  KeptSpan span{.trace = trace_id_of(text_of(*trace)),
                .span = span_id_of(text_of(*span_id)),
                .parent = parent == nullptr ? std::string{} : span_id_of(text_of(*parent)),
                .name = name == nullptr ? std::string{} : text_of(*name),
                .start = *began,
                .end = std::max(ended.value_or(*began), *began)};
  for (auto const& member : from) {
    std::string_view const key = member.key();
    if (key == "attributes" && member.value().is_object()) {
      for (auto const& each : member.value().get_object())
        flatten(std::string(each.key()), each.value(), span.attributes);
    } else if (key.starts_with(attributes_prefix)) {
      flatten(std::string(key.substr(attributes_prefix.size())), member.value(), span.attributes);
    }
  }
  auto const* const status = first_of(from, {"status_code"});
  if (status != nullptr && *status == "ERROR") put_error(span.attributes, first_of(from, {"status_message"}));
  add_events(from, span);
  auto const* const kind = first_of(from, {"span_kind"});
  if (kind != nullptr && !span.attributes.contains("openinference.span.kind")) {
    span.attributes["openinference.span.kind"] = text_of(*kind);
  }
  for (auto const* const member : {"annotations", "span_annotations"}) {
    auto const* const listed = first_of(from, {member});
    if (listed == nullptr || !listed->is_array()) continue;
    for (auto const& each : listed->get_array()) {
      if (each.is_object()) add_annotation(each.get_object(), span.trace, span.span, kept);
    }
  }
  kept.spans.push_back(std::move(span));
  return {};
}

}  // namespace

CallResult<KeptTelemetry> read_phoenix(json::value const& document) {
  KeptTelemetry kept;
  auto const* const object = document.if_object();
  auto const* const data = object == nullptr ? nullptr : first_of(*object, {"data"});
  auto const* const list = (data == nullptr ? document : *data).if_array();
  if (list == nullptr) {
    if (object == nullptr) return wrong_document("expected a span or a list of them");
    if (auto const added = add_span(*object, kept); !added) return added.error();
    return kept;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto const* const row = (*list)[i].if_object();
    kept.note(row == nullptr ? wrong_document("a span must be an object") : add_span(*row, kept), i);
  }
  return kept;
}

}  // namespace whence::tools
