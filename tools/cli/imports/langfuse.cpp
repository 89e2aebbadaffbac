// Observations and scores of Langfuse by OpenInference's names.

#include "schema/json/json.hpp"
#include "tools/cli/imports/kept_spans.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct KindRow {
  std::string_view type;  ///< of an observation
  std::string_view kind;  ///< of OpenInference
};

constexpr auto langfuse_kinds = std::to_array<KindRow>({
    {"GENERATION", "LLM"},
    {"RETRIEVER", "RETRIEVER"},
    {"TOOL", "TOOL"},
    {"EMBEDDING", "EMBEDDING"},
    {"AGENT", "AGENT"},
    {"GUARDRAIL", "GUARDRAIL"},
    {"EVALUATOR", "EVALUATOR"},
});

/// Everything else is a step of some kind: SPAN, EVENT, CHAIN.
std::string_view kind_of(std::string_view type) {
  for (auto const& row : langfuse_kinds) {
    if (row.type == type) return row.kind;
  }
  return "CHAIN";
}

/// JSON that an export holds as text; else the value itself.
json::value unfolded(json::value const& value) {
  auto const* const text = value.if_string();
  if (text == nullptr || text->empty() || (text->front() != '{' && text->front() != '[')) return value;
  auto parsed = schema::json::parse_foreign(std::string_view(*text));
  if (parsed) return std::move(parsed->value);
  return value;
}

/// The words that were looked for, in whatever a retriever was given.
std::string question_in(json::value const& input) {
  auto const* const object = input.if_object();
  auto const* const asked = object == nullptr ? nullptr : first_of(*object, {"query", "question", "input"});
  return text_of(asked == nullptr ? input : *asked);
}

/// The first number of a name that is known counts.
void put_number(json::object& attributes, std::string_view name, json::value const* value) {
  if (value == nullptr || attributes.contains(name)) return;
  if (value->is_number()) {
    attributes[name] = *value;
  } else if (auto const parsed = schema::json::parse(text_of(*value)); parsed && parsed->value.is_number()) {
    attributes[name] = parsed->value;
  }
}

json::object object_at(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const held = first_of(from, names);
  auto value = held == nullptr ? json::value{} : unfolded(*held);
  return value.is_object() ? std::move(value.get_object()) : json::object{};
}

/// Counts of tokens of other kinds, such as those that were cached, as they are.
void put_other_counts(json::object& attributes, json::object const& counts) {
  constexpr auto read = std::to_array<std::string_view>(
      {"input", "promptTokens", "prompt_tokens", "input_tokens", "output", "completionTokens", "completion_tokens",
       "output_tokens", "total", "totalTokens", "total_tokens", "unit"});
  json::object others;
  for (auto const& each : counts) {
    bool const is_read = std::ranges::find(read, std::string_view(each.key())) != read.end();
    if (!is_read && !each.value().is_null()) others.emplace(each.key(), each.value());
  }
  if (!others.empty()) attributes["langfuse.usageDetails"] = text_of(json::value(others));
}

void put_usage(json::object& attributes, json::object const& observation) {
  auto const counts = object_at(observation, {"usageDetails", "usage_details", "usage"});
  put_number(attributes, "llm.token_count.prompt",
             first_of(counts, {"input", "promptTokens", "prompt_tokens", "input_tokens"}));
  put_number(attributes, "llm.token_count.completion",
             first_of(counts, {"output", "completionTokens", "completion_tokens", "output_tokens"}));
  put_other_counts(attributes, counts);
  put_number(attributes, "llm.token_count.prompt",
             first_of(observation, {"inputUsage", "promptTokens", "input_usage", "prompt_tokens"}));
  put_number(attributes, "llm.token_count.completion",
             first_of(observation, {"outputUsage", "completionTokens", "output_usage", "completion_tokens"}));
  put_number(attributes, "llm.cost.total", first_of(observation, {"calculatedTotalCost", "totalCost", "total_cost"}));
  put_number(attributes, "llm.cost.total",
             first_of(object_at(observation, {"costDetails", "cost_details"}), {"total"}));
  put_number(attributes, "llm.cost.total", first_of(counts, {"totalCost", "total_cost"}));
}

/// The span that represents a trace: its observations are below it, and what is said of the whole is said of it.
std::string root_of(std::string_view trace) {
  return span_id_of("trace " + std::string(trace));
}

/// What a trace says of all that is in it.
struct TraceSays {
  std::string id = {};  ///< empty: each observation names its own
  std::string session = {};
  std::string user = {};
};

std::string text_at(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const held = first_of(from, names);
  return held == nullptr ? std::string{} : text_of(*held);
}

/// Who asked, and in which session.
void put_session(json::object& attributes, json::object const& from, TraceSays const& trace) {
  auto const session = text_at(from, {"sessionId", "session_id"});
  auto const user = text_at(from, {"userId", "user_id"});
  auto const put = [&](std::string_view name, std::string const& own, std::string const& of_trace) {
    if (auto const& text = own.empty() ? of_trace : own; !text.empty()) attributes[name] = text;
  };
  put("session.id", session, trace.session);
  put("user.id", user, trace.user);
}

/// Members that are read; the others are kept as attributes `langfuse.NAME`.
constexpr auto read_members = std::to_array<std::string_view>({"id",
                                                               "traceId",
                                                               "trace_id",
                                                               "startTime",
                                                               "start_time",
                                                               "endTime",
                                                               "end_time",
                                                               "type",
                                                               "parentObservationId",
                                                               "parent_observation_id",
                                                               "name",
                                                               "input",
                                                               "output",
                                                               "model",
                                                               "providedModelName",
                                                               "metadata",
                                                               "usageDetails",
                                                               "usage_details",
                                                               "usage",
                                                               "provided_model_name",
                                                               "promptTokens",
                                                               "prompt_tokens",
                                                               "inputUsage",
                                                               "input_usage",
                                                               "calculatedTotalCost",
                                                               "outputUsage",
                                                               "completionTokens",
                                                               "completion_tokens",
                                                               "output_usage",
                                                               "totalCost",
                                                               "total_cost",
                                                               "sessionId",
                                                               "session_id",
                                                               "userId",
                                                               "user_id",
                                                               "timestamp",
                                                               "observations",
                                                               "scores",
                                                               "projectId",
                                                               "project_id"});

void put_others(json::object& attributes, json::object const& from) {
  for (auto const& member : from) {
    auto const& value = member.value();
    bool const is_empty = value.is_null() || (value.is_array() && value.get_array().empty()) ||
                          (value.is_object() && value.get_object().empty()) ||
                          (value.is_string() && value.get_string().empty());
    std::string_view const name = member.key();
    if (is_empty || std::ranges::find(read_members, name) != read_members.end()) continue;
    attributes["langfuse." + std::string(name)] = value.is_structured() ? json::value(text_of(value)) : value;
  }
}

/// A trace, from `begin` to `end`.
void add_trace(json::object const& trace, std::uint64_t begin, std::uint64_t end, KeptTelemetry& kept) {
  auto const id = text_at(trace, {"id"});
  KeptSpan span{
      .trace = trace_id_of(id), .span = root_of(id), .name = text_at(trace, {"name"}), .start = begin, .end = end};
  auto& attributes = span.attributes;
  attributes["openinference.span.kind"] = "CHAIN";
  if (auto const* const input = first_of(trace, {"input"})) attributes["input.value"] = text_of(*input);
  if (auto const* const output = first_of(trace, {"output"})) attributes["output.value"] = text_of(*output);
  if (auto const* const metadata = first_of(trace, {"metadata"})) attributes["metadata"] = text_of(*metadata);
  put_session(attributes, trace, {});
  put_others(attributes, trace);
  kept.spans.push_back(std::move(span));
}

/// A trace of which nothing is kept but what its observations say of it: of the one that begins it. Scores of no
/// observation are of it.
KeptSpan made_trace(json::object const& observation, KeptSpan const& first) {
  KeptSpan span{.trace = first.trace,
                .span = first.parent,
                .name = text_at(observation, {"traceName", "trace_name"}),
                .start = first.start,
                .end = first.end,
                .is_made = true};
  auto& attributes = span.attributes;
  attributes["openinference.span.kind"] = "CHAIN";
  for (auto const* const name : {"input.value", "output.value"}) {
    if (auto const* const said = first.attributes.if_contains(name)) attributes[name] = *said;
  }
  put_session(attributes, observation, {});
  return span;
}

CallResult<void> add_observation(json::object const& observation, TraceSays const& trace, KeptTelemetry& kept) {
  auto const* const id = id_at(observation, {"id"});
  auto const* const own_trace = id_at(observation, {"traceId", "trace_id"});
  auto const* const start = first_of(observation, {"startTime", "start_time"});
  if (id == nullptr || !id->is_string()) return wrong_document("an observation needs an id");
  if (own_trace == nullptr && trace.id.empty()) return wrong_document("an observation needs a traceId");
  auto const began = start == nullptr ? std::nullopt : moment_of(*start);
  if (!began) return wrong_document("an observation needs a startTime");
  auto const* const end = first_of(observation, {"endTime", "end_time"});
  auto const ended = end == nullptr ? std::nullopt : moment_of(*end);
  auto const* const parent = id_at(observation, {"parentObservationId", "parent_observation_id"});
  auto const* const type = first_of(observation, {"type"});
  auto const* const name = first_of(observation, {"name"});
  auto const trace_name = own_trace == nullptr ? trace.id : text_of(*own_trace);
  KeptSpan span{.trace = trace_id_of(trace_name),
                .span = span_id_of(text_of(*id)),
                .parent = parent == nullptr ? root_of(trace_name) : span_id_of(text_of(*parent)),
                .name = name == nullptr ? std::string{} : text_of(*name),
                .start = *began,
                .end = std::max(ended.value_or(*began), *began)};
  auto const kind = kind_of(type == nullptr ? std::string{} : text_of(*type));
  auto& attributes = span.attributes;
  attributes["openinference.span.kind"] = kind;
  auto const* const input = first_of(observation, {"input"});
  auto const* const output = first_of(observation, {"output"});
  if (input != nullptr)
    attributes["input.value"] = kind == "RETRIEVER" ? question_in(unfolded(*input)) : text_of(*input);
  if (output != nullptr) attributes["output.value"] = text_of(*output);  // messages and documents are read behind it
  if (kind == "TOOL") attributes["tool.name"] = span.name;
  if (kind == "AGENT" && !span.name.empty()) attributes["agent.name"] = span.name;
  if (text_at(observation, {"level"}) == "ERROR")
    put_error(attributes, first_of(observation, {"statusMessage", "status_message"}));
  auto const* const provided = first_of(observation, {"providedModelName", "provided_model_name"});
  if (auto const* const model = first_of(observation, {"model", "providedModelName", "provided_model_name"})) {
    attributes["llm.model_name"] = text_of(*model);
    if (provided != nullptr && *provided != *model) attributes["langfuse.providedModelName"] = text_of(*provided);
  }
  put_usage(attributes, observation);
  if (auto const* const metadata = first_of(observation, {"metadata"})) attributes["metadata"] = text_of(*metadata);
  put_session(attributes, observation, trace);
  put_others(attributes, observation);
  bool const says_trace = observation.contains("traceName") || observation.contains("trace_name");
  if (says_trace && parent == nullptr && trace.id.empty()) kept.spans.push_back(made_trace(observation, span));
  kept.spans.push_back(std::move(span));
  return {};
}

/// The number, label and text of a score. The number of a category is its place in a list, or 0, and that of a text is
/// always 0: neither is a score.
void put_score(json::object& attributes, json::object const& score) {
  auto const type = text_at(score, {"dataType", "data_type"});
  auto const* const value = first_of(score, {"value"});
  bool const is_text = type == "TEXT" || type == "CORRECTION";
  bool const is_category = type == "CATEGORICAL" || (type.empty() && value != nullptr && value->is_string());
  auto const* const said = id_at(score, {"stringValue", "string_value", "longStringValue", "long_string_value"});
  auto const* const words = said == nullptr && value != nullptr && value->is_string() ? value : said;
  if (!is_text && !is_category) put_number(attributes, "gen_ai.evaluation.score.value", value);
  bool const is_label = words != nullptr && !is_text &&
                        (said != nullptr || is_category || !attributes.contains("gen_ai.evaluation.score.value"));
  if (is_label) attributes["gen_ai.evaluation.score.label"] = text_of(*words);
  auto comment = text_at(score, {"comment"});
  if (words != nullptr && is_text) {
    attributes["gen_ai.evaluation.score.label"] = type == "TEXT" ? "text" : "correction";
    comment = text_of(*words) + (comment.empty() ? "" : "\n" + comment);
  }
  // A category that the export lost still says that somebody rated.
  if (is_category && words == nullptr && value != nullptr)
    attributes["gen_ai.evaluation.score.label"] = "category " + text_of(*value);
  if (!comment.empty()) attributes["gen_ai.evaluation.explanation"] = comment;
}

/// Members of a score that are read, or are of its row and not of the rating; the others are kept as attributes.
constexpr auto read_of_score = std::to_array<std::string_view>(
    {"traceId", "observationId", "timestamp", "name", "value", "stringValue", "longStringValue", "comment", "createdAt",
     "updatedAt", "projectId", "trace", "isDeleted", "eventTs"});

/// Who rated, how and under which id, as `langfuse.NAME`, whichever case the export writes: scores that differ in these
/// alone are several.
void put_others_of_score(json::object& attributes, json::object const& score) {
  for (auto const& member : score) {
    auto const& value = member.value();
    std::string name;
    for (char const c : std::string_view(member.key())) {
      bool const begins_word = name.ends_with('_') && c >= 'a' && c <= 'z';
      if (begins_word) name.pop_back();
      name.push_back(begins_word ? static_cast<char>(c - 'a' + 'A') : c);
    }
    bool const is_empty = value.is_null() || value == json::value("") || value == json::value(json::object{}) ||
                          value == json::value(json::array{});
    if (is_empty || std::ranges::find(read_of_score, name) != read_of_score.end()) continue;
    attributes["langfuse." + name] = value.is_structured() ? json::value(text_of(value)) : value;
  }
}

/// A score of no observation is one of its trace, one of no trace of a session or a run of a data set.
void add_score(json::object const& score, std::string const& trace, KeptTelemetry& kept) {
  auto const* const observation = id_at(score, {"observationId", "observation_id"});
  auto const* const own_trace = id_at(score, {"traceId", "trace_id"});
  if (own_trace == nullptr && trace.empty()) {
    ++kept.left_out;
    return;
  }
  auto const trace_name = own_trace == nullptr ? trace : text_of(*own_trace);
  KeptRating rating{.trace = trace_id_of(trace_name),
                    .span = observation == nullptr ? root_of(trace_name) : span_id_of(text_of(*observation))};
  auto const* const time = first_of(score, {"timestamp", "createdAt", "created_at"});
  if (time != nullptr) rating.time = moment_of(*time).value_or(0);
  if (auto const* const name = first_of(score, {"name"})) rating.attributes["gen_ai.evaluation.name"] = text_of(*name);
  put_score(rating.attributes, score);
  put_others_of_score(rating.attributes, score);
  kept.ratings.push_back(std::move(rating));
}

/// Scores within a trace; those that are only named are elsewhere.
void add_scores(json::object const& holder, std::string const& trace, KeptTelemetry& kept) {
  auto const* const scores = first_of(holder, {"scores"});
  if (scores == nullptr || !scores->is_array()) return;
  for (auto const& each : scores->get_array()) {
    if (each.is_object()) add_score(each.get_object(), trace, kept);
  }
}

bool is_score(json::object const& row) {
  bool const is_valued = row.contains("value") || row.contains("stringValue") || row.contains("string_value");
  return is_valued && !row.contains("startTime") && !row.contains("start_time");
}

/// A row of a table of traces: it has a moment, and no beginning.
bool is_trace(json::object const& row) {
  return row.contains("id") && row.contains("timestamp") && !row.contains("startTime") && !row.contains("start_time") &&
         !row.contains("traceId") && !row.contains("trace_id");
}

/// A row of one of the tables.
CallResult<void> add_row(json::object const& row, TraceSays const& trace, KeptTelemetry& kept) {
  if (is_score(row)) {
    add_score(row, trace.id, kept);
    return {};
  }
  if (!is_trace(row)) return add_observation(row, trace, kept);
  auto const moment = moment_of(row.at("timestamp"));
  if (!moment) return wrong_document("a trace needs a timestamp");
  add_trace(row, *moment, *moment, kept);
  add_scores(row, text_at(row, {"id"}), kept);
  return {};
}

/// The observations of a trace; null: it has none, or only their ids, as a list of traces does.
json::value const* observations_of(json::object const& from) {
  auto const* const list = first_of(from, {"observations"});
  auto const* const rows = list == nullptr ? nullptr : list->if_array();
  bool const are_ids = rows != nullptr && is_trace(from) &&
                       std::ranges::all_of(*rows, [](json::value const& each) { return each.is_string(); });
  return are_ids ? nullptr : list;
}

/// `of` is what the list is of, for its faults.
CallResult<void> add_list(json::value const& list, std::string const& of, KeptTelemetry& kept, auto add) {
  if (!list.is_array()) return wrong_document(of + " must be a list");
  auto const& rows = list.get_array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const* const row = rows[i].if_object();
    kept.note(row == nullptr ? wrong_document("an observation must be an object") : add(*row), i, of);
  }
  return {};
}

/// A trace with its observations and scores.
CallResult<void> add_whole(json::object const& from, json::object const& trace, json::value const& observations,
                           KeptTelemetry& kept) {
  TraceSays const says{.id = text_at(trace, {"id"}),
                       .session = text_at(trace, {"sessionId", "session_id"}),
                       .user = text_at(trace, {"userId", "user_id"})};
  auto const first = kept.spans.size();
  auto const of = "`observations`" + (says.id.empty() ? std::string() : " of trace " + says.id);
  auto added = add_list(observations, of, kept, [&](json::object const& row) { return add_row(row, says, kept); });
  if (!added) return added;
  auto const own = std::span(kept.spans).subspan(first);
  if (!says.id.empty() && !own.empty()) {
    auto const begin = std::ranges::min(own, {}, &KeptSpan::start).start;
    auto const end = std::ranges::max(own, {}, &KeptSpan::end).end;
    add_trace(trace, begin, end, kept);
  }
  add_scores(first_of(from, {"scores"}) == nullptr ? trace : from, says.id, kept);
  return {};
}

/// A row of a table, or a trace with what is in it.
CallResult<void> add_any(json::object const& from, KeptTelemetry& kept) {
  auto const* const nested = first_of(from, {"trace"});
  auto const& trace = nested != nullptr && nested->is_object() ? nested->get_object() : from;
  auto const* observations = observations_of(from);
  if (observations == nullptr) observations = observations_of(trace);
  return observations == nullptr ? add_row(from, {}, kept) : add_whole(from, trace, *observations, kept);
}

}  // namespace

CallResult<KeptTelemetry> read_langfuse(json::value const& document) {
  KeptTelemetry kept;
  auto const* const object = document.if_object();
  if (object == nullptr && !document.is_array()) {
    return wrong_document("expected an observation, a list of them or a trace");
  }
  auto const* const data =
      object == nullptr || first_of(*object, {"observations"}) != nullptr ? nullptr : first_of(*object, {"data"});
  if (data != nullptr && !data->is_array()) return wrong_document("`data` must be a list");
  auto const add_item = [&](json::object const& row) { return add_any(row, kept); };
  auto const* const list = object == nullptr ? &document : data;
  auto const added = list == nullptr ? add_any(*object, kept) : add_list(*list, "a list", kept, add_item);
  if (!added) return added.error();
  return kept;
}

}  // namespace whence::tools
