// Observations and scores of Langfuse by OpenInference's names.

#include "schema/json/json.hpp"
#include "tools/cli/imports/kept_spans.hpp"

#include <algorithm>
#include <array>
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
  auto parsed = schema::json::parse(std::string_view(*text));
  if (parsed) return std::move(parsed->value);
  return value;
}

/// The words that were looked for, in whatever a retriever was given.
std::string question_in(json::value const& input) {
  auto const* const object = input.if_object();
  auto const* const asked = object == nullptr ? nullptr : first_of(*object, {"query", "question", "input"});
  return text_of(asked == nullptr ? input : *asked);
}

void put_documents(json::object& attributes, json::value const& output) {
  auto const* const object = output.if_object();
  auto const* const within = object == nullptr ? nullptr : first_of(*object, {"documents", "results", "chunks"});
  auto const* const list = (within == nullptr ? output : *within).if_array();
  if (list == nullptr) {
    attributes["output.value"] = text_of(output);
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto const at = "retrieval.documents." + std::to_string(i) + ".document.";
    auto const* const document = (*list)[i].if_object();
    if (document == nullptr) {
      attributes[at + "content"] = text_of((*list)[i]);
      continue;
    }
    if (auto const* const text = first_of(*document, {"pageContent", "page_content", "content", "text"})) {
      attributes[at + "content"] = text_of(*text);
    }
    if (auto const* const id = first_of(*document, {"id"})) attributes[at + "id"] = text_of(*id);
    if (auto const* const score = first_of(*document, {"score"}); score != nullptr && score->is_number()) {
      attributes[at + "score"] = score->to_number<double>();
    }
    if (auto const* const metadata = first_of(*document, {"metadata"}))
      attributes[at + "metadata"] = text_of(*metadata);
  }
}

void put_number(json::object& attributes, std::string_view name, json::value const* value) {
  if (value == nullptr) return;
  if (value->is_number()) {
    attributes[name] = *value;
  } else if (auto const parsed = schema::json::parse(text_of(*value)); parsed && parsed->value.is_number()) {
    attributes[name] = parsed->value;
  }
}

void put_usage(json::object& attributes, json::object const& observation) {
  auto const* const details = first_of(observation, {"usageDetails", "usage_details", "usage"});
  auto const usage = details == nullptr ? json::value{} : unfolded(*details);
  if (auto const* const counts = usage.if_object()) {
    put_number(attributes, "llm.token_count.prompt",
               first_of(*counts, {"input", "promptTokens", "prompt_tokens", "input_tokens"}));
    put_number(attributes, "llm.token_count.completion",
               first_of(*counts, {"output", "completionTokens", "completion_tokens", "output_tokens"}));
  }
  put_number(attributes, "llm.token_count.prompt",
             first_of(observation, {"inputUsage", "promptTokens", "input_usage"}));
  put_number(attributes, "llm.token_count.completion",
             first_of(observation, {"outputUsage", "completionTokens", "output_usage"}));
  put_number(attributes, "llm.cost.total", first_of(observation, {"calculatedTotalCost", "totalCost", "total_cost"}));
}

CallResult<void> add_observation(json::object const& observation, std::string const& trace, KeptTelemetry& kept) {
  auto const* const id = first_of(observation, {"id"});
  auto const* const own_trace = first_of(observation, {"traceId", "trace_id"});
  auto const* const start = first_of(observation, {"startTime", "start_time"});
  if (id == nullptr || !id->is_string()) return wrong_document("an observation needs an id");
  if (own_trace == nullptr && trace.empty()) return wrong_document("an observation needs a traceId");
  auto const began = start == nullptr ? std::nullopt : moment_of(*start);
  if (!began) return wrong_document("an observation needs a startTime");
  auto const* const end = first_of(observation, {"endTime", "end_time"});
  auto const ended = end == nullptr ? std::nullopt : moment_of(*end);
  auto const* const parent = first_of(observation, {"parentObservationId", "parent_observation_id"});
  auto const* const type = first_of(observation, {"type"});
  auto const* const name = first_of(observation, {"name"});
  KeptSpan span{.trace = trace_id_of(own_trace == nullptr ? trace : text_of(*own_trace)),
                .span = span_id_of(text_of(*id)),
                .parent = parent == nullptr ? std::string{} : span_id_of(text_of(*parent)),
                .name = name == nullptr ? std::string{} : text_of(*name),
                .start = *began,
                .end = std::max(ended.value_or(*began), *began)};
  auto const kind = kind_of(type == nullptr ? std::string{} : text_of(*type));
  auto& attributes = span.attributes;
  attributes["openinference.span.kind"] = kind;
  auto const* const input = first_of(observation, {"input"});
  auto const* const output = first_of(observation, {"output"});
  if (kind == "LLM") {
    if (input != nullptr) attributes["input.value"] = text_of(*input);  // messages of any shape are read behind it
    if (output != nullptr) attributes["output.value"] = text_of(*output);
  } else if (kind == "RETRIEVER") {
    if (input != nullptr) attributes["input.value"] = question_in(unfolded(*input));
    if (output != nullptr) put_documents(attributes, unfolded(*output));
  } else {
    if (input != nullptr) attributes["input.value"] = text_of(*input);
    if (output != nullptr) attributes["output.value"] = text_of(*output);
  }
  if (kind == "TOOL") attributes["tool.name"] = span.name;
  if (auto const* const model = first_of(observation, {"model", "providedModelName", "provided_model_name"})) {
    attributes["llm.model_name"] = text_of(*model);
  }
  put_usage(attributes, observation);
  if (auto const* const metadata = first_of(observation, {"metadata"})) attributes["metadata"] = text_of(*metadata);
  kept.spans.push_back(std::move(span));
  return {};
}

/// A score of no observation is one of a trace: it says nothing of an answer.
void add_score(json::object const& score, std::string const& trace, KeptTelemetry& kept) {
  auto const* const observation = first_of(score, {"observationId", "observation_id"});
  auto const* const own_trace = first_of(score, {"traceId", "trace_id"});
  if (observation == nullptr || (own_trace == nullptr && trace.empty())) {
    ++kept.left_out;
    return;
  }
  KeptRating rating{.trace = trace_id_of(own_trace == nullptr ? trace : text_of(*own_trace)),
                    .span = span_id_of(text_of(*observation))};
  auto const* const time = first_of(score, {"timestamp", "createdAt", "created_at"});
  if (time != nullptr) rating.time = moment_of(*time).value_or(0);
  if (auto const* const name = first_of(score, {"name"})) rating.attributes["gen_ai.evaluation.name"] = text_of(*name);
  put_number(rating.attributes, "gen_ai.evaluation.score.value", first_of(score, {"value"}));
  if (auto const* const label = first_of(score, {"stringValue", "string_value"})) {
    rating.attributes["gen_ai.evaluation.score.label"] = text_of(*label);
  }
  if (auto const* const comment = first_of(score, {"comment"})) {
    rating.attributes["gen_ai.evaluation.explanation"] = text_of(*comment);
  }
  kept.ratings.push_back(std::move(rating));
}

CallResult<void> add_list(json::value const& list, std::string const& trace, KeptTelemetry& kept) {
  if (!list.is_array()) return wrong_document("`observations` must be a list");
  for (auto const& each : list.get_array()) {
    auto const* const observation = each.if_object();
    if (observation == nullptr) return wrong_document("an observation must be an object");
    if (auto const added = add_observation(*observation, trace, kept); !added) return added.error();
  }
  return {};
}

}  // namespace

CallResult<KeptTelemetry> read_langfuse(json::value const& document) {
  KeptTelemetry kept;
  if (document.is_array()) {
    if (auto const added = add_list(document, {}, kept); !added) return added.error();
    return kept;
  }
  auto const* const object = document.if_object();
  if (object == nullptr) return wrong_document("expected an observation, a list of them or a trace");
  auto const* const nested = first_of(*object, {"trace"});
  auto const& trace = nested != nullptr && nested->is_object() ? nested->get_object() : *object;
  auto const* list = first_of(*object, {"observations", "data"});
  if (list == nullptr) list = first_of(trace, {"observations"});
  if (list == nullptr) {
    if (auto const added = add_observation(*object, {}, kept); !added) return added.error();
    return kept;
  }
  auto const* const id = first_of(trace, {"id"});
  auto const name = id == nullptr ? std::string{} : text_of(*id);
  if (auto const added = add_list(*list, name, kept); !added) return added.error();
  auto const* scores = first_of(*object, {"scores"});
  if (scores == nullptr) scores = first_of(trace, {"scores"});
  if (scores == nullptr || !scores->is_array()) return kept;
  for (auto const& each : scores->get_array()) {
    if (each.is_object()) add_score(each.get_object(), name, kept);
  }
  return kept;
}

}  // namespace whence::tools
