// The facts are a text of JSON in the attribute `otel:facts`. Members that are empty or false are left out, and what is
// not there is read as that, so that the records of an older program keep their meaning.

#include "net/capture/trace/facts_json.hpp"

#include "net/capture/spans/attributes.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/json/json.hpp"

#include <cstdint>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

constexpr std::string_view facts_member = "otel:facts";

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

std::optional<RemoteFacts> remote_in(json::object const& from) {
  auto const* const at = from.if_contains("remote");
  auto const* const held = at == nullptr ? nullptr : at->if_object();
  if (held == nullptr) return std::nullopt;
  RemoteFacts facts{.title = text_at(*held, "title"),
                    .model = text_at(*held, "model"),
                    .input_tokens = counted(held->if_contains("input_tokens")),
                    .output_tokens = counted(held->if_contains("output_tokens")),
                    .cost = number_of(held->if_contains("cost"))};
  auto const* const rest = held->if_contains("rest");
  if (rest != nullptr && rest->is_object()) facts.rest = rest->get_object();
  return facts;
}

}  // namespace

void set_facts(schema::ProvNode& node, json::object facts, std::string_view label) {
  json::object const attributes{{facts_member, schema::json::to_sorted_text(json::value(std::move(facts)))},
                                {"prov:label", label}};
  node.attributes = schema::ProvAttributes{schema::json::to_sorted_text(json::value(attributes))};
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
                  .clock = text_at(*held, "clock"),
                  .is_agent = held->contains("is_agent"),
                  .is_inner = held->contains("is_inner"),
                  .is_yielding = held->contains("is_yielding"),
                  .is_failed = held->contains("is_failed"),
                  .is_memory = held->contains("is_memory"),
                  .answer_hash = text_at(*held, "answer"),
                  .has_prompt = held->contains("prompt"),
                  .is_shortened = held->contains("is_shortened"),
                  .instructions = text_at(*held, "instructions"),
                  .last_hash = text_at(*held, "last"),
                  .metered = text_at(*held, "metered"),
                  .has_text = held->contains("text"),
                  .tool = text_at(*held, "tool"),
                  .is_mcp = held->contains("is_mcp"),
                  .call_id = text_at(*held, "call"),
                  .results = texts_at(*held, "results"),
                  .brief = texts_at(*held, "brief"),
                  .chunks = texts_at(*held, "chunks"),
                  .response_id = text_at(*held, "response"),
                  .previous = text_at(*held, "previous"),
                  .items = texts_at(*held, "items"),
                  .referred = texts_at(*held, "referred"),
                  .own = {text_at(*held, "conversation"), text_at(*held, "person")},
                  .at_resource = {text_at(*held, "resource_conversation"), text_at(*held, "resource_person")},
                  .embeddings = number_at(*held, "embeddings"),
                  .remote = remote_in(*held)};
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
                 .is_output = held->contains("output"),
                 .is_numbered = held->contains("numbered")};
  if (held->contains("name") || held->contains("score")) {
    facts.evaluation = Evaluation{.response_id = text_at(*held, "response"),
                                  .name = text_at(*held, "name"),
                                  .label = text_at(*held, "label"),
                                  .text = text_at(*held, "text"),
                                  .time = facts.time};
    auto const* const score = held->if_contains("score");
    if (score != nullptr && score->is_number()) facts.evaluation->score = score->to_number<double>();
    auto const* const rest = held->if_contains("rest");
    if (rest != nullptr && rest->is_object()) facts.evaluation->rest = rest->get_object();
  } else if (auto const* const beside = held->if_contains("beside"); beside != nullptr && beside->is_object()) {
    facts.beside = beside->get_object();
  } else {
    facts.message = Message{
        .role = text_at(*held, "role"), .text = text_at(*held, "text"), .reasoning = text_at(*held, "reasoning")};
    for (auto const& id : texts_at(*held, "calls")) facts.message->results.push_back({id, facts.message->text});
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
    if (!facts.evaluation->rest.empty()) held["rest"] = facts.evaluation->rest;
  } else if (!facts.message) {
    held["beside"] = facts.beside;
  } else {
    held["place"] = facts.place;
    held["role"] = facts.message->role;
    held["text"] = facts.message->text;
    if (!facts.message->reasoning.empty()) held["reasoning"] = facts.message->reasoning;
    if (facts.is_output) held["output"] = true;
    if (facts.is_numbered) held["numbered"] = true;
    auto const ids = calls_in(facts);
    if (!ids.empty()) held["calls"] = json::array(ids.begin(), ids.end());
  }
  return held;
}

json::object json_of(RemoteFacts const& facts) {
  json::object held{{"title", facts.title}, {"model", facts.model}, {"rest", facts.rest}};
  if (facts.input_tokens) held["input_tokens"] = *facts.input_tokens;
  if (facts.output_tokens) held["output_tokens"] = *facts.output_tokens;
  if (facts.cost) held["cost"] = *facts.cost;
  return held;
}

std::vector<std::string> calls_in(LogFacts const& facts) {
  if (!facts.message || facts.message->results.size() != 1) return {};
  auto const& result = facts.message->results.front();
  bool const is_whole = !result.id.empty() && result.id.size() <= response_id_bytes_max * 2;
  return is_whole && result.text == facts.message->text ? std::vector{result.id} : std::vector<std::string>{};
}

}  // namespace whence::net::capture
