// Texts are cut to what records may have, and what is left out is said in their attributes.
#include "net/capture/records/span_records.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/code_points.hpp"
#include "schema/json/json.hpp"
#include "schema/types/belonging.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
namespace limits = schema::limits;

constexpr std::size_t attributes_room = 15'000;  ///< for attributes without a meaning, of what a record may have
constexpr std::size_t own_text_max = 4'000;      ///< of a question or arguments kept there
constexpr std::size_t scores_max = 200;          ///< kept there
constexpr std::size_t tool_name_max = 200;

/// What nothing here has a meaning for, the smallest first, as far as there is room; and where it came from.
schema::Attributes attributes_of(CapturedSpan const& span, json::object own) {
  if (span.ahead_ms > 0) own["clock_ahead_ms"] = span.ahead_ms;
  own["trace_id"] = span.name.trace;
  own["span_id"] = span.name.span;
  std::vector<std::pair<std::size_t, std::string_view>> sizes;
  for (auto const& pair : span.rest) {
    auto const bytes = pair.key().size() + schema::json::to_text(pair.value()).size() + 4;
    sizes.emplace_back(bytes, std::string_view{pair.key().data(), pair.key().size()});
  }
  std::ranges::sort(sizes);
  std::size_t used = schema::json::to_text(json::value(own)).size();
  std::int64_t left_out = 0;
  for (auto const& [bytes, name] : sizes) {
    if (used + bytes > attributes_room) {
      ++left_out;
    } else if (!own.contains(name)) {
      used += bytes;
      own.emplace(name, span.rest.at(name));
    }
  }
  if (left_out > 0) own["attributes_left_out"] = left_out;
  return {schema::json::to_canonical_text(json::value(std::move(own)))};
}

schema::ContextType type_of_role(std::string_view role) {
  if (role == "system" || role == "developer") return schema::ContextType::system;
  if (role == "assistant" || role == "ai" || role == "model") return schema::ContextType::model_state;
  return role == "tool" || role == "function" ? schema::ContextType::external : schema::ContextType::user;
}

/// A query's question of what was asked or embedded.
std::string question_of(CapturedSpan const& span, std::string_view text) {
  auto const trimmed = schema::trim_white_space(text);
  if (trimmed.empty()) return "(" + name_text(span.title, 200) + ")";
  if (schema::code_points(trimmed) < limits::question_min) return "\"" + std::string(trimmed) + "\"";
  return schema::cut(trimmed, limits::question_max - 3);
}

/// The query of a retrieval, or of a tool whose result has passages, with these but for those `left_out`.
std::vector<schema::Record> retrieval_records(schema::SecretKey const& key, CapturedSpan const& span,
                                              std::set<std::string> const& left_out = {}) {
  bool const is_tool = span.kind == Kind::tool;
  auto const id = is_tool ? passages_ref(span.name).id : record_ref(span.name, span.kind)->id;
  auto const& asked = is_tool ? span.arguments : span.question;
  CapturedSpan const nothing_else{.name = span.name};  // attributes of a tool's span are at its unit
  json::object own;
  json::array scores;
  for (auto const& passage : span.passages) {
    scores.push_back(passage.score ? json::value(*passage.score) : json::value{});
  }
  bool const has_scores = !std::ranges::all_of(scores, [](json::value const& each) { return each.is_null(); });
  if (has_scores && scores.size() > scores_max) {
    own["scores_left_out"] = scores.size();
  } else if (has_scores) {
    own["scores"] = std::move(scores);
  }
  if (asked.size() > limits::question_max) own["question"] = schema::cut(asked, own_text_max);
  if (span.documents_left_out > 0) own["documents_left_out"] = span.documents_left_out;
  std::vector<schema::Record> records;
  records.emplace_back(schema::Query{.request_id = id,
                                     .question = question_of(span, asked),
                                     .timestamp = time_of_nanos(span.start),
                                     .attributes = attributes_of(is_tool ? nothing_else : span, std::move(own))});
  auto seen = left_out;
  std::int64_t rank = 0;
  for (auto const& passage : span.passages) {
    ++rank;
    schema::RetrievedChunk chunk{.request_id = id, .rank = rank};
    chunk.metadata.document_name = name_text(passage.document, limits::id_bytes_max);
    chunk.chunk_id = chunk_id(key, passage, chunk.metadata.document_name);
    if (!seen.insert(chunk.chunk_id).second) continue;
    chunk.content = content_of(passage.content);
    chunk.metadata.page_number = passage.page;
    if (passage.score) chunk.similarity_score = std::clamp(*passage.score, 0.0, 1.0);
    records.emplace_back(std::move(chunk));
  }
  return records;
}

/// A query of each text with its vector. One that the server's models do not take is said beside the question.
std::vector<schema::Record> embedding_records(CapturedSpan const& span, schema::EmbeddingModels const& models) {
  auto const model = name_text(span.model, limits::term_max);
  CapturedSpan const nothing_else{.name = span.name};  // attributes of the span are kept once
  std::vector<schema::Record> records;
  for (std::size_t i = 0; i < span.embeddings.size(); ++i) {
    auto const& [text, numbers] = span.embeddings[i];
    auto const id = embedded_ref(span.name, i).id;
    auto const fault = schema::find_fault(models, model, numbers.size());
    json::object own;
    if (text.size() > limits::question_max) own["question"] = schema::cut(text, own_text_max);
    if (fault) own["embedding_left_out"] = fault->message;
    if (i == 0 && span.embeddings_left_out > 0) own["embeddings_left_out"] = span.embeddings_left_out;
    records.emplace_back(schema::Query{.request_id = id,
                                       .question = question_of(span, text),
                                       .timestamp = time_of_nanos(span.start),
                                       .attributes = attributes_of(i == 0 ? span : nothing_else, std::move(own))});
    if (fault) continue;
    records.emplace_back(schema::EmbeddingVector{.request_id = id,
                                                 .vector = numbers,
                                                 .model_name = model,
                                                 .dimension = static_cast<std::int64_t>(numbers.size())});
  }
  return records;
}

schema::ContextUnit tool_record(CapturedSpan const& span) {
  json::object own;
  if (!span.call_id.empty()) own["call_id"] = span.call_id;
  if (!span.arguments.empty()) own["arguments"] = schema::cut(span.arguments, own_text_max);
  schema::ContextUnit unit{.id = record_ref(span.name, span.kind)->id,
                           .type = schema::ContextType::external,
                           .source = "tool:" + name_text(span.tool, tool_name_max),
                           .timestamp = time_of_nanos(span.end)};
  unit.attributes = attributes_of(span, std::move(own));
  if (!span.answer.empty()) unit.content = content_of(span.answer);
  return unit;
}

}  // namespace

schema::Time time_of_nanos(Nanos nanos) {
  constexpr Nanos second = 1'000'000'000;
  return {static_cast<std::int64_t>(nanos / second), static_cast<std::uint32_t>(nanos % second)};
}

Nanos nanos_of_time(schema::Time const& time) {
  return static_cast<Nanos>(std::max<std::int64_t>(time.seconds, 0)) * 1'000'000'000 + time.nanos;
}

std::string agent_text(std::string_view name) {
  return name_text(name, limits::agent_max);
}

std::string belonging_text(std::string const& name) {
  return schema::trim_white_space(name).empty() ? std::string{} : schema::belonging_id(name);
}

schema::ContextUnit unit_of(schema::SecretKey const& key, Message const& message, Nanos time, std::string_view person) {
  schema::ContextUnit unit{.type = type_of_role(message.role),
                           .source = "message:" + name_text(message.role, 100),
                           .timestamp = time_of_nanos(time)};
  unit.content = content_of(message.text);
  json::object own{{"captured", "message"}};
  auto const& call = message.results.size() == 1 ? message.results.front().id : std::string{};
  if (call.empty() || call.size() > limits::id_bytes_max || message.results.front().text != message.text) {
    unit.id = schema::unit_id_of(key, unit.source, *unit.content, schema::is_own_text(unit.type) ? person : "");
  } else {
    own["call_id"] = call;
    unit.id = schema::unit_id_of(key, unit.source + " " + call, *unit.content);
  }
  unit.attributes = schema::Attributes{schema::json::to_canonical_text(json::value(std::move(own)))};
  return unit;
}

std::vector<std::string> answer_units(schema::SecretKey const& key, std::string const& answer,
                                      std::set<std::string> const& persons) {
  std::vector<std::string> ids;
  for (auto const* const role : {"assistant", "user", "model", "ai", "system", "tool"}) {
    ids.push_back(unit_of(key, {.role = role, .text = answer}, 0).id);
  }
  for (auto const& person : persons) ids.push_back(unit_of(key, {.role = "user", .text = answer}, 0, person).id);
  return ids;
}

Message result_message(std::string role, std::string const& call_id, std::string const& text) {
  return {.role = std::move(role), .text = text, .results = {{call_id, text}}};
}

std::optional<Message> kept_message(schema::ContextUnit const& unit, std::string text) {
  constexpr std::string_view prefix = "message:";
  if (!unit.source.starts_with(prefix) || !unit.attributes) return std::nullopt;
  auto const attributes = schema::json::parse(unit.attributes->json);
  if (!attributes || !attributes->value.is_object()) return std::nullopt;
  auto const& own = attributes->value.get_object();
  auto const* const captured = own.if_contains("captured");
  if (captured == nullptr || *captured != "message") return std::nullopt;
  Message message{.role = unit.source.substr(prefix.size()), .text = std::move(text)};
  auto const* const call = own.if_contains("call_id");
  if (call != nullptr && call->is_string()) message.results.push_back({std::string(call->get_string()), message.text});
  return message;
}

schema::Basis basis_of(Message const& message) {
  if (is_instruction(message)) return schema::Basis::instruction;
  return is_of_user(message) ? schema::Basis::question : schema::Basis::given;
}

void set_text(std::optional<std::string>& text, std::optional<schema::Digest>& blob, std::string now) {
  if (blob && *blob == schema::sha256(now)) return;
  blob.reset();
  text = std::move(now);
}

void set_prompt(std::vector<Message> const& messages, schema::Response& response) {
  auto const whole = rendered(messages);
  response.prompt_messages.reset();
  response.question.reset();
  if (!whole.question.empty()) {
    auto const trimmed = schema::trim_white_space(whole.question);
    if (!trimmed.empty()) response.question = schema::cut(trimmed, limits::question_max - 3);
  }
  if (whole.text.empty()) return;
  set_text(response.prompt, response.prompt_blob, content_of(whole.text));
  if (whole.text.size() > limits::content_max || whole.parts.size() > limits::prompt_messages_max) return;
  auto& parts = response.prompt_messages.emplace();
  parts.reserve(whole.parts.size());
  for (auto const& part : whole.parts) {
    parts.push_back({name_text(part.role, limits::id_bytes_max), static_cast<std::int64_t>(part.start),
                     static_cast<std::int64_t>(part.end)});
  }
}

std::vector<Message> messages_of_prompt(std::string const& text, schema::Response const& response) {
  if (!response.prompt_messages || response.prompt_messages->empty()) return {{.role = "user", .text = text}};
  std::vector<Message> messages;
  std::size_t at = 0;
  std::int64_t point = 0;
  auto const byte_of = [&](std::int64_t wanted) {  // they are in order
    auto const further = static_cast<std::uint64_t>(std::max<std::int64_t>(wanted - point, 0));
    at += schema::start_of_code_point(std::string_view(text).substr(at), further);
    point = std::max(point, wanted);
    return at;
  };
  for (auto const& part : *response.prompt_messages) {
    auto const begin = byte_of(part.start);
    auto const end = byte_of(part.end);
    messages.push_back({.role = part.role, .text = text.substr(begin, end - begin)});
  }
  return messages;
}

void set_reasoning(std::string_view reasoning, schema::Response& response) {
  if (reasoning.empty() || !response.attributes) return;
  auto held = schema::json::parse(response.attributes->json);
  if (!held || !held->value.is_object() || held->value.get_object().contains("reasoning")) return;
  held->value.get_object()["reasoning"] = schema::cut(reasoning, own_text_max);
  response.attributes = schema::Attributes{schema::json::to_canonical_text(held->value)};
}

void set_prompt_reasoning(std::string_view reasoning, schema::Response& response) {
  if (reasoning.empty() || !response.attributes) return;
  auto held = schema::json::parse(response.attributes->json);
  if (!held || !held->value.is_object()) return;
  auto const now = schema::cut(reasoning, own_text_max);
  auto& known = held->value.get_object()["prompt_reasoning"];
  if (known.is_string() && known.get_string().size() >= now.size()) return;
  known = now;
  response.attributes = schema::Attributes{schema::json::to_canonical_text(held->value)};
}

void set_beside(AttributeMap const& said, schema::Response& response) {
  Attributes attributes(said);
  auto const model = attributes.peek_first(Meaning::model);
  bool const is_unknown = response.model == name_text({}, limits::model_max);
  if (is_unknown && model != nullptr) response.model = name_text(attributes.text(Meaning::model), limits::model_max);
  auto const counts = [](json::value const& held) { return counted(&held).has_value(); };
  if (!response.usage) {
    schema::Usage const usage{counted(attributes.first(Meaning::input_tokens, counts)),
                              counted(attributes.first(Meaning::output_tokens, counts))};
    if (usage.input_tokens || usage.output_tokens) response.usage = usage;
  }
  auto held = response.attributes ? schema::json::parse(response.attributes->json) : schema::json::parse("{}");
  if (!held || !held->value.is_object()) return;
  auto& own = held->value.get_object();
  auto used = response.attributes ? response.attributes->json.size() : 0;
  for (auto const& pair : attributes.rest()) {
    auto const bytes = pair.key().size() + schema::json::to_text(pair.value()).size() + 4;
    if (used + bytes > attributes_room || !own.emplace(pair.key(), pair.value()).second) continue;
    used += bytes;
  }
  response.attributes = schema::Attributes{schema::json::to_canonical_text(held->value)};
}

void note_causes_left_out(schema::Response& response) {
  if (!response.attributes) return;
  auto held = schema::json::parse(response.attributes->json);
  if (!held || !held->value.is_object()) return;
  held->value.get_object()["causes_left_out"] = true;
  response.attributes = schema::Attributes{schema::json::to_canonical_text(held->value)};
}

schema::Response response_of(CapturedSpan const& span) {
  schema::Response response{.id = record_ref(span.name, Kind::call)->id,
                            .timestamp = time_of_nanos(span.end),
                            .agent = name_text(span.agent.empty() ? span.service : span.agent, limits::agent_max),
                            .model = name_text(span.model, limits::model_max)};
  json::object own;
  if (!span.reasoning.empty()) own["reasoning"] = schema::cut(span.reasoning, own_text_max);
  if (auto const thought = joined_reasoning(span.input); !thought.empty())
    own["prompt_reasoning"] = schema::cut(thought, own_text_max);
  response.attributes = attributes_of(span, std::move(own));
  if (!span.answer.empty()) response.content = content_of(span.answer);
  set_prompt(span.input, response);
  if (span.input_tokens || span.output_tokens) response.usage = schema::Usage{span.input_tokens, span.output_tokens};
  if (!span.rest.contains(time_not_given)) response.latency_ms = static_cast<double>(span.end - span.start) / 1e6;
  if (span.cost && *span.cost >= 0) response.cost = span.cost;
  return response;
}

std::vector<schema::Record> records_of(schema::SecretKey const& key, CapturedSpan const& span,
                                       schema::EmbeddingModels const& models, std::set<std::string> const& left_out) {
  if (span.kind == Kind::retrieval) return retrieval_records(key, span);
  if (span.kind == Kind::embedding) return embedding_records(span, models);
  std::vector<schema::Record> records;
  if (span.kind != Kind::tool) return records;
  if (!span.passages.empty()) records = retrieval_records(key, span, left_out);
  if (records.size() == 1) records.clear();  // a query of nothing
  records.insert(records.begin(), tool_record(span));
  return records;
}

}  // namespace whence::net::capture
