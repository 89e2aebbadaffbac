#include "net/capture/trace_state.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/record_texts.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
using schema::NodeRef;
using schema::RecordType;

constexpr std::string_view iri_prefix = "urn:otel:";
constexpr std::string_view span_prefix = "urn:otel:span:";
constexpr std::string_view log_prefix = "urn:otel:log:";
constexpr std::string_view response_prefix = "urn:otel:response:";
constexpr std::string_view call_prefix = "urn:otel:call:";
constexpr std::string_view answer_prefix = "urn:otel:answer:";
constexpr std::size_t brief_bytes_max = 64;  ///< of a message before it is folded
constexpr std::size_t instructions_bytes_max = std::size_t{64} << 10;
constexpr std::size_t response_id_bytes_max = 128;  ///< as part of an IRI; a longer one is hashed
constexpr std::string_view facts_member = "otel:facts";
constexpr std::size_t text_bytes_max = std::size_t{256} << 10;  ///< of a message that came as a log record
constexpr std::size_t title_bytes_max = 200;

/// The first 32 hex digits of the SHA-256 of a value's text.
std::string hash_of(json::value const& value) {
  return schema::to_hex(schema::sha256(schema::json::to_canonical_text(value))).substr(0, 32);
}

std::string qname_of(std::string_view iri) {
  return "otel:" + std::string(iri.substr(iri_prefix.size()));
}

/// A relation of the thing `own` to `other`, with the names of its arguments in PROV-JSON.
schema::ProvRelation relation(std::string_view name, std::string_view subject, std::string_view object,
                              std::string_view own, NodeRef const& other) {
  auto const argument = other.id.starts_with(iri_prefix) ? qname_of(other.id) : "whence:" + other.id;
  json::object const arguments{{subject, qname_of(own)}, {object, argument}};
  return {.relation = std::string(name),
          .other = schema::format_ref(other),
          .attributes = {schema::json::to_sorted_text(json::value(arguments))}};
}

schema::ProvNode node(NodeRef const& ref) {
  return {.id = ref.id, .qname = qname_of(ref.id), .prefixes = schema::PrefixMap{{{"otel", std::string(iri_prefix)}}}};
}

void set_facts(schema::ProvNode& node, json::object facts, std::string_view label) {
  json::object const attributes{{facts_member, schema::json::to_sorted_text(json::value(std::move(facts)))},
                                {"prov:label", label}};
  node.attributes = schema::ProvAttributes{schema::json::to_sorted_text(json::value(attributes))};
}

std::string text_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
}

std::vector<std::string> texts_at(json::object const& from, std::string_view name) {
  std::vector<std::string> texts;
  auto const* const held = from.if_contains(name);
  if (held == nullptr || !held->is_array()) return texts;
  for (auto const& each : held->get_array()) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

std::uint64_t number_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  if (held == nullptr) return 0;
  if (held->is_uint64()) return held->get_uint64();
  return held->is_int64() ? static_cast<std::uint64_t>(held->get_int64()) : 0;
}

/// The facts kept in a record; nothing where it is not ours, or only mentioned.
std::optional<json::object> read_facts(schema::ProvNode const& node) {
  if (!node.attributes) return std::nullopt;
  auto attributes = schema::json::parse(node.attributes->json);
  if (!attributes || !attributes->value.is_object()) return std::nullopt;
  auto facts = schema::json::parse(text_at(attributes->value.get_object(), facts_member));
  if (!facts || !facts->value.is_object()) return std::nullopt;
  return std::move(facts->value.get_object());
}

std::optional<SpanFacts> span_facts(schema::ProvNode const& node) {
  auto const held = read_facts(node);
  auto const kind = held ? find_kind(text_at(*held, "kind")) : std::nullopt;
  if (!kind) return std::nullopt;
  SpanFacts facts{.kind = *kind,
                  .parent = text_at(*held, "parent"),
                  .start = number_at(*held, "start"),
                  .end = number_at(*held, "end"),
                  .agent = text_at(*held, "agent"),
                  .service = text_at(*held, "service"),
                  .is_agent = held->contains("is_agent"),
                  .is_memory = held->contains("is_memory"),
                  .answer_hash = text_at(*held, "answer"),
                  .has_prompt = held->contains("prompt"),
                  .instructions = text_at(*held, "instructions"),
                  .has_text = held->contains("text"),
                  .call_id = text_at(*held, "call"),
                  .results = texts_at(*held, "results"),
                  .brief = texts_at(*held, "brief"),
                  .chunks = texts_at(*held, "chunks"),
                  .response_id = text_at(*held, "response"),
                  .own = {text_at(*held, "conversation"), text_at(*held, "person")},
                  .at_resource = {text_at(*held, "resource_conversation"), text_at(*held, "resource_person")},
                  .embeddings = number_at(*held, "embeddings")};
  auto const* const links = held->if_contains("links");
  if (links == nullptr || !links->is_array()) return facts;
  for (auto const& each : links->get_array()) {
    auto const name = each.is_string() ? span_of_ref(std::string(each.get_string())) : std::nullopt;
    if (name) facts.links.push_back(*name);
  }
  return facts;
}

std::optional<LogFacts> log_facts(schema::ProvNode const& node) {
  auto const held = read_facts(node);
  if (!held || !node.id.starts_with(log_prefix)) return std::nullopt;
  LogFacts facts{.id = node.id.substr(log_prefix.size()),
                 .span = text_at(*held, "span"),
                 .time = number_at(*held, "time"),
                 .place = static_cast<std::uint32_t>(number_at(*held, "place")),
                 .is_output = held->contains("output")};
  if (held->contains("name") || held->contains("score")) {
    facts.evaluation = Evaluation{.response_id = text_at(*held, "response"),
                                  .name = text_at(*held, "name"),
                                  .label = text_at(*held, "label"),
                                  .text = text_at(*held, "text"),
                                  .time = facts.time};
    auto const* const score = held->if_contains("score");
    if (score != nullptr && score->is_number()) facts.evaluation->score = score->to_number<double>();
  } else {
    facts.message = Message{
        .role = text_at(*held, "role"), .text = text_at(*held, "text"), .reasoning = text_at(*held, "reasoning")};
  }
  return facts;
}

json::object log_facts_json(LogFacts const& facts) {
  json::object held{{"span", facts.span}, {"time", facts.time}};
  if (facts.evaluation) {
    if (facts.evaluation->score) held["score"] = *facts.evaluation->score;
    held["name"] = facts.evaluation->name;
    held["label"] = facts.evaluation->label;
    held["text"] = facts.evaluation->text;
    if (!facts.evaluation->response_id.empty()) held["response"] = facts.evaluation->response_id;
  } else {
    held["place"] = facts.place;
    held["role"] = facts.message->role;
    held["text"] = facts.message->text;
    if (!facts.message->reasoning.empty()) held["reasoning"] = facts.message->reasoning;
    if (facts.is_output) held["output"] = true;
  }
  return held;
}

}  // namespace

NodeRef trace_ref(std::string_view trace) {
  return {RecordType::prov_activity, "urn:otel:trace:" + std::string(trace)};
}

NodeRef span_ref(SpanName const& name) {
  return {RecordType::prov_activity, std::string(span_prefix) + name.trace + ":" + name.span};
}

namespace {

/// The entity of an id that somebody gave: as it is where it fits into an IRI.
NodeRef named_ref(std::string_view prefix, std::string_view id) {
  auto const is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  };
  bool const fits = id.size() <= response_id_bytes_max && std::ranges::all_of(id, is_plain);
  auto const name = fits ? std::string(id) : "sha256-" + hash_of(json::value(id));
  return {RecordType::prov_entity, std::string(prefix) + name};
}

}  // namespace

NodeRef named_response_ref(std::string_view response_id) {
  return named_ref(response_prefix, response_id);
}

NodeRef named_call_ref(std::string_view call_id) {
  return named_ref(call_prefix, call_id);
}

NodeRef named_answer_ref(std::string_view answer_hash) {
  return {RecordType::prov_entity, std::string(answer_prefix) + std::string(answer_hash)};
}

schema::ProvEntity named_answer_record(std::string_view answer_hash) {
  schema::ProvEntity record{node(named_answer_ref(answer_hash))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"answer"})"};
  return record;
}

NodeRef passages_ref(SpanName const& name) {
  return {RecordType::query, "otel_" + name.trace + "_" + name.span};
}

bool is_telling_id(std::string_view id) {
  std::size_t length = 0;
  std::size_t digits = 0;
  for (char const c : id) {
    bool const is_digit = c >= '0' && c <= '9';
    bool const is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    length = is_digit || is_letter ? length + 1 : 0;
    digits = length == 0 ? 0 : digits + (is_digit ? 1 : 0);
    if (length >= 8 && digits >= 3) return true;
  }
  return false;
}

namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// A call of a tool, in any of the forms that conventions have.
struct ToolCall {
  std::string id = {};
  std::string name = {};
  json::value arguments = {};
};

std::optional<ToolCall> call_of(json::value const& value) {
  if (!value.is_object()) return std::nullopt;
  auto const* object = &value.get_object();
  ToolCall call;
  bool has_arguments = false;
  bool is_call = false;  // an answer may be an object with a name, too
  for (int depth = 0; depth < 3; ++depth) {
    json::object const* inner = nullptr;
    for (auto const& [key, held] : *object) {
      std::string_view const name{key.data(), key.size()};
      bool const is_text = held.is_string();
      if (is_text && call.id.empty() && is_any_of(name, {"id", "toolCallId", "tool_call_id", "call_id", "toolUseId"}))
        call.id = std::string(held.get_string());
      if (is_text && call.name.empty() && is_any_of(name, {"name", "toolName"}))
        call.name = std::string(held.get_string());
      if (is_any_of(name, {"arguments", "args", "input"})) {
        has_arguments = true;
        call.arguments = is_text ? structured(held) : held;
      }
      if (held.is_object() && is_any_of(name, {"function", "tool_call", "toolUse", "functionCall", "function_call"}))
        inner = &held.get_object();
      is_call = is_call || inner != nullptr || name == "toolName";
      if (is_text && name == "type")
        is_call = is_call ||
                  is_any_of(held.get_string(), {"tool_call", "tool-call", "tool_use", "function", "function_call"});
    }
    if (inner == nullptr) break;
    object = inner;
  }
  bool const is_whole = (is_call || !call.id.empty()) && has_arguments && !call.name.empty();
  return is_whole ? std::optional{std::move(call)} : std::nullopt;
}

/// The calls that a part of a text is; none where it is anything else.
std::vector<ToolCall> calls_of(std::string_view part) {
  std::vector<ToolCall> calls;
  if (!part.starts_with('{') && !part.starts_with('[')) return calls;
  // Most JSON in prompts is what tools gave, and long: what has no member that a call must have is not read.
  auto const has_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return part.find(name) != std::string_view::npos; });
  };
  if (!has_any({R"("name")", R"("toolName")"}) || !has_any({R"("arguments")", R"("args")", R"("input")"})) return calls;
  auto const parsed = schema::json::parse(part);
  if (!parsed) return calls;
  auto const* const list = parsed->value.if_array();
  for (std::size_t i = 0; i < (list == nullptr ? 1 : list->size()); ++i) {
    auto call = call_of(list == nullptr ? parsed->value : (*list)[i]);
    if (!call) return {};
    calls.push_back(std::move(*call));
  }
  return calls;
}

}  // namespace

Comparable comparable(std::string_view text) {
  constexpr std::string_view between = "\n\n";
  text = schema::trim_white_space(text);  // frameworks do
  Comparable result;
  bool is_told = false;
  for (std::size_t at = 0; at <= text.size();) {
    auto const end = std::min(text.find(between, at), text.size());
    auto const part = text.substr(at, end - at);
    at = end + between.size();
    auto const calls = calls_of(part);
    if (calls.empty()) {
      is_told = true;
      result.text.append(result.text.empty() ? "" : between).append(part);
    }
    for (auto const& call : calls) {
      bool const is_telling = is_telling_id(call.id);
      is_told = is_told || is_telling;
      result.text.append(result.text.empty() ? "" : between).append("call ").append(call.id);
      if (!is_telling)
        result.text.append(" " + call.name + " " + schema::json::to_canonical_text(json::value(call.arguments)));
      if (!call.id.empty()) result.calls.push_back(call.id);
    }
  }
  result.telling = is_told ? text.size() : 0;
  return result;
}

std::string answer_hash(std::string_view answer) {
  return hash_of_comparable(comparable(answer).text);
}

std::string hash_of_comparable(std::string_view text) {
  return hash_of(json::value(text));
}

std::optional<NodeRef> record_ref(SpanName const& name, Kind kind) {
  auto const id = name.trace + "_" + name.span;
  switch (kind) {
    case Kind::call:
      return NodeRef{RecordType::response, "resp_" + id};
    case Kind::retrieval:
      return NodeRef{RecordType::query, "otel_" + id};
    case Kind::tool:
      return NodeRef{RecordType::context_unit, "cu_" + id};
    default:
      return std::nullopt;
  }
}

NodeRef embedded_ref(SpanName const& name, std::size_t number) {
  return {RecordType::query, "otel_" + name.trace + "_" + name.span + "_" + std::to_string(number)};
}

std::optional<SpanName> span_of_ref(std::string_view id) {
  if (!id.starts_with(span_prefix)) return std::nullopt;
  id.remove_prefix(span_prefix.size());
  if (id.size() != 49 || id[32] != ':') return std::nullopt;
  return SpanName{std::string(id.substr(0, 32)), std::string(id.substr(33))};
}

schema::ProvActivity trace_record(std::string_view trace) {
  schema::ProvActivity record{node(trace_ref(trace))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"trace"})"};
  return record;
}

schema::ProvActivity span_record(SpanName const& name, std::string const& title, SpanFacts const& facts) {
  auto const ref = span_ref(name);
  schema::ProvActivity record{node(ref)};
  json::object held{{"kind", name_of(facts.kind)}, {"start", facts.start}, {"end", facts.end}};
  auto& relations = record.relations.emplace();
  relations.push_back(relation("wasInformedBy", "prov:informed", "prov:informant", ref.id, trace_ref(name.trace)));
  if (!facts.parent.empty()) {
    held["parent"] = facts.parent;
    relations.push_back(relation("specializationOf", "prov:specificEntity", "prov:generalEntity", ref.id,
                                 span_ref({name.trace, facts.parent})));
  }
  json::array links;
  for (auto const& link : facts.links) {
    auto const other = span_ref(link);
    links.emplace_back(other.id);
    relations.push_back(relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, other));
  }
  if (!links.empty()) held["links"] = std::move(links);
  if (!facts.answer_hash.empty()) held["answer"] = facts.answer_hash;
  if (!facts.agent.empty()) held["agent"] = facts.agent;
  if (!facts.service.empty()) held["service"] = facts.service;
  for (auto const& [member, text] : {std::pair{"conversation", &facts.own.conversation},
                                     {"person", &facts.own.person},
                                     {"resource_conversation", &facts.at_resource.conversation},
                                     {"resource_person", &facts.at_resource.person}}) {
    if (!text->empty()) held[member] = *text;
  }
  if (facts.is_agent) held["is_agent"] = true;
  if (facts.is_memory) held["is_memory"] = true;
  if (facts.has_text) held["text"] = true;
  if (!facts.instructions.empty()) held["instructions"] = facts.instructions;
  if (!facts.call_id.empty()) held["call"] = facts.call_id;
  if (!facts.results.empty()) held["results"] = json::array(facts.results.begin(), facts.results.end());
  if (!facts.brief.empty()) held["brief"] = json::array(facts.brief.begin(), facts.brief.end());
  if (!facts.chunks.empty()) held["chunks"] = json::array(facts.chunks.begin(), facts.chunks.end());
  auto calls = facts.results;
  if (!facts.call_id.empty()) calls.push_back(facts.call_id);
  for (auto const& id : calls) {
    relations.push_back(relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_call_ref(id)));
  }
  if (facts.kind == Kind::call && !facts.answer_hash.empty()) {
    relations.push_back(
        relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_answer_ref(facts.answer_hash)));
  }
  if (facts.has_prompt) held["prompt"] = true;
  if (!facts.response_id.empty()) {
    held["response"] = facts.response_id;
    relations.push_back(
        relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_response_ref(facts.response_id)));
  }
  if (auto const made = record_ref(name, facts.kind)) {
    relations.push_back(relation("hadMember", "prov:collection", "prov:entity", ref.id, *made));
  }
  for (std::size_t i = 0; i < facts.embeddings; ++i) {
    relations.push_back(relation("hadMember", "prov:collection", "prov:entity", ref.id, embedded_ref(name, i)));
  }
  if (facts.embeddings > 0) held["embeddings"] = facts.embeddings;
  set_facts(record, std::move(held), schema::cut(title, title_bytes_max));
  return record;
}

schema::ProvActivity mentioned_span(SpanName const& name) {
  schema::ProvActivity record{node(span_ref(name))};
  record.is_declared = false;
  return record;
}

schema::ProvEntity named_response_record(std::string_view response_id) {
  schema::ProvEntity record{node(named_response_ref(response_id))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"response"})"};
  return record;
}

schema::ProvEntity named_call_record(std::string_view call_id) {
  schema::ProvEntity record{node(named_call_ref(call_id))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"tool call"})"};
  return record;
}

schema::ProvEntity log_record(std::string_view trace, LogFacts const& facts) {
  NodeRef const ref{RecordType::prov_entity, std::string(log_prefix) + facts.id};
  schema::ProvEntity record{node(ref)};
  auto& relations = record.relations.emplace();
  if (!trace.empty()) {
    relations.push_back(relation("wasGeneratedBy", "prov:entity", "prov:activity", ref.id, trace_ref(trace)));
  }
  if (facts.evaluation && !facts.evaluation->response_id.empty()) {
    relations.push_back(relation("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity", ref.id,
                                 named_response_ref(facts.evaluation->response_id)));
  }
  set_facts(record, log_facts_json(facts), facts.evaluation ? "evaluation" : "message");
  return record;
}

LogFacts facts_of(SaidMessage const& said) {
  LogFacts facts{.span = said.of.span,
                 .time = said.time,
                 .place = said.place,
                 .message = Message{.role = said.message.role,
                                    .text = schema::cut(said.message.text, text_bytes_max),
                                    .reasoning = schema::cut(said.message.reasoning, text_bytes_max)},
                 .is_output = said.is_output};
  auto named = facts;  // what other messages come with it says nothing of which this is
  named.place = 0;
  facts.id = hash_of(json::array{said.of.trace, log_facts_json(named)});
  return facts;
}

LogFacts facts_of(Evaluation const& evaluation) {
  LogFacts facts{.span = evaluation.of.span, .time = evaluation.time, .evaluation = evaluation};
  facts.evaluation->text = schema::cut(evaluation.text, text_bytes_max);
  facts.id = hash_of(json::array{evaluation.of.trace, log_facts_json(facts)});
  return facts;
}

SpanFacts facts_of(CapturedSpan const& span) {
  SpanFacts facts{.kind = span.kind, .parent = span.parent, .start = span.start, .end = span.end, .links = span.links};
  std::ranges::sort(facts.links);
  facts.links.erase(std::unique(facts.links.begin(), facts.links.end()), facts.links.end());
  facts.agent = span.agent;
  facts.service = span.service;
  facts.own = span.own;
  facts.at_resource = span.at_resource;
  facts.is_agent = span.is_agent;
  facts.is_memory = span.kind == Kind::retrieval && span.tool == "search_memory";
  bool const is_answer = span.kind == Kind::call || span.kind == Kind::chain;
  if (is_answer && !span.answer.empty()) facts.answer_hash = answer_hash(span.answer);
  facts.has_prompt = span.input.size() > span.instructions;
  if (span.kind == Kind::call && !facts.has_prompt)
    facts.instructions = schema::cut(span.prompt, instructions_bytes_max);
  facts.call_id = span.call_id;
  if (span.kind == Kind::tool) facts.has_text = !span.answer.empty();
  if (span.kind == Kind::retrieval || span.kind == Kind::tool) {
    for (auto const& [id, text] : passages_of(span)) {
      if (!text.empty() && facts.chunks.size() < chunks_max) facts.chunks.push_back(id);
    }
    if (span.kind == Kind::retrieval) facts.has_text = !facts.chunks.empty();
  }
  std::set<std::string> brief;
  auto const note_brief = [&](std::string_view text) {
    if (text.size() > brief_bytes_max || brief.size() == brief_max) return;
    auto short_text = plain_text::folded(text);
    if (!short_text.empty() && short_text.size() < plain_text::SoughtTexts::sought_min)
      brief.insert(std::move(short_text));
  };
  for (auto const& message : span.input) {
    note_brief(message.text);
    for (auto const& result : message.results) {
      note_brief(result.text);
      if (!result.id.empty() && result.id.size() <= response_id_bytes_max * 2) facts.results.push_back(result.id);
    }
  }
  if (facts.has_prompt) facts.brief.assign(brief.begin(), brief.end());
  std::ranges::sort(facts.results);
  facts.results.erase(std::unique(facts.results.begin(), facts.results.end()), facts.results.end());
  if (facts.results.size() > results_max) facts.results.resize(results_max);
  facts.response_id = span.response_id;
  facts.embeddings = span.embeddings.size();
  return facts;
}

std::vector<std::string_view> spans_above(TraceState const& state, std::string const& span) {
  std::vector<std::string_view> chain;
  auto at = state.spans.find(span);
  while (at != state.spans.end() && !at->second.parent.empty() && chain.size() < state.spans.size()) {
    chain.push_back(at->second.parent);
    at = state.spans.find(at->second.parent);
  }
  return chain;
}

Result<TraceState> read_trace(std::string_view trace, graph::Snapshot const& snapshot,
                              schema::RecordReader const& reader) {
  TraceState state;
  auto const ref = trace_ref(trace);
  auto const vertex = snapshot.find(ref.type, ref.id);
  if (!vertex) return state;
  auto const around = snapshot.effects(*vertex);
  auto const read =
      graph::read_those_there(snapshot, reader, around.vertices, [&](std::size_t, schema::Record&& record) {
        if (auto const* const activity = std::get_if<schema::ProvActivity>(&record)) {
          auto const name = span_of_ref(activity->id);
          auto facts = span_facts(*activity);
          if (name && facts) state.spans.emplace(name->span, std::move(*facts));
        } else if (auto const* const entity = std::get_if<schema::ProvEntity>(&record)) {
          auto facts = log_facts(*entity);
          if (facts) state.logs.emplace(facts->id, std::move(*facts));
        }
        return true;
      });
  if (!read) return read.error();
  return state;
}

Result<NamedResponse> read_named_response(std::string_view response_id, graph::Snapshot const& snapshot,
                                          schema::RecordReader const& reader) {
  NamedResponse response;
  auto const ref = named_response_ref(response_id);
  auto const vertex = snapshot.find(ref.type, ref.id);
  if (!vertex) return response;
  auto const around = snapshot.relations_to(*vertex);
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (snapshot.type(around.edges[i]) != schema::EdgeType::prov_alternate_of) continue;
    if (response.calls.size() == calls_of_response_max) break;
    if (auto const call = span_of_ref(snapshot.id(around.vertices[i]))) response.calls.insert(*call);
  }
  auto const read = graph::read_those_there(snapshot, reader, snapshot.effects(*vertex).vertices,
                                            [&](std::size_t, schema::Record&& record) {
                                              auto const* const entity = std::get_if<schema::ProvEntity>(&record);
                                              auto facts = entity == nullptr ? std::nullopt : log_facts(*entity);
                                              if (facts && facts->evaluation)
                                                response.ratings.emplace(facts->id, std::move(*facts));
                                              return true;
                                            });
  if (!read) return read.error();
  return response;
}

}  // namespace whence::net::capture
