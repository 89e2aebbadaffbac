// A span is related to its trace, its parent, its links and to the names that others may say too (ids of calls and
// responses, hashes of answers): over these relations it is found again.

#include "net/capture/trace/prov_records.hpp"

#include "net/capture/messages/comparable.hpp"
#include "net/capture/trace/facts_json.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <utility>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
using schema::NodeRef;
using schema::RecordType;

std::string qname_of(std::string_view iri) {
  return "otel:" + std::string(iri.substr(iri_prefix.size()));
}

/// A relation of the thing `own` to `other`, with the names of its arguments in PROV-JSON. One of our records has its
/// name in an export (queries/export).
schema::ProvRelation relation(std::string_view name, std::string_view subject, std::string_view object,
                              std::string_view own, NodeRef const& other) {
  json::object arguments{{subject, qname_of(own)}};
  if (other.id.starts_with(iri_prefix)) arguments[object] = qname_of(other.id);
  return {.relation = std::string(name),
          .other = schema::format_ref(other),
          .attributes = {schema::json::to_sorted_text(json::value(arguments))}};
}

schema::ProvNode node(NodeRef const& ref) {
  return {.id = ref.id, .qname = qname_of(ref.id), .prefixes = schema::PrefixMap{{{"otel", std::string(iri_prefix)}}}};
}

/// What it says of itself, in the order in which the record has it.
void add_own_facts(json::object& held, SpanFacts const& facts) {
  if (!facts.answer_hash.empty()) held["answer"] = facts.answer_hash;
  if (!facts.agent.empty()) held["agent"] = facts.agent;
  if (!facts.service.empty()) held["service"] = facts.service;
  if (!facts.clock.empty()) held["clock"] = facts.clock;
  for (auto const& [member, text] : {std::pair{"conversation", &facts.own.conversation},
                                     {"person", &facts.own.person},
                                     {"resource_conversation", &facts.at_resource.conversation},
                                     {"resource_person", &facts.at_resource.person}}) {
    if (!text->empty()) held[member] = *text;
  }
  if (facts.is_agent) held["is_agent"] = true;
  if (facts.is_inner) held["is_inner"] = true;
  if (facts.is_yielding) held["is_yielding"] = true;
  if (facts.is_failed) held["is_failed"] = true;
  if (facts.is_memory) held["is_memory"] = true;
  if (facts.has_text) held["text"] = true;
  if (!facts.instructions.empty()) held["instructions"] = facts.instructions;
  if (!facts.last_hash.empty()) held["last"] = facts.last_hash;
  if (!facts.metered.empty()) held["metered"] = facts.metered;
  if (!facts.tool.empty()) held["tool"] = facts.tool;
  if (facts.is_mcp) held["is_mcp"] = true;
  if (!facts.call_id.empty()) held["call"] = facts.call_id;
  if (!facts.results.empty()) held["results"] = json::array(facts.results.begin(), facts.results.end());
  if (!facts.brief.empty()) held["brief"] = json::array(facts.brief.begin(), facts.brief.end());
  if (!facts.chunks.empty()) held["chunks"] = json::array(facts.chunks.begin(), facts.chunks.end());
}

}  // namespace

schema::ProvActivity trace_record(std::string_view trace) {
  schema::ProvActivity record{node(trace_ref(trace))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"trace"})"};
  return record;
}

schema::ProvActivity span_record(schema::SecretKey const& key, SpanName const& name, std::string const& title,
                                 SpanFacts const& facts) {
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
  add_own_facts(held, facts);
  for (auto const& id : named_calls_of(facts)) {
    relations.push_back(relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_call_ref(key, id)));
  }
  if (facts.kind == Kind::call && !facts.answer_hash.empty()) {
    relations.push_back(
        relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_answer_ref(facts.answer_hash)));
  }
  if (facts.has_prompt) held["prompt"] = true;
  if (facts.is_shortened) held["is_shortened"] = true;
  if (!facts.response_id.empty()) held["response"] = facts.response_id;
  if (!facts.items.empty()) held["items"] = json::array(facts.items.begin(), facts.items.end());
  for (auto const& id : given_ids(facts)) {
    relations.push_back(
        relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_response_ref(key, id)));
  }
  if (!facts.previous.empty()) held["previous"] = facts.previous;
  if (!facts.referred.empty()) held["referred"] = json::array(facts.referred.begin(), facts.referred.end());
  for (auto const& id : earlier_ids(facts)) {
    relations.push_back(relation("used", "prov:activity", "prov:entity", ref.id, named_response_ref(key, id)));
  }
  if (auto const made = record_ref(name, facts.kind)) {
    relations.push_back(relation("hadMember", "prov:collection", "prov:entity", ref.id, *made));
  }
  for (std::size_t i = 0; i < facts.embeddings; ++i) {
    relations.push_back(relation("hadMember", "prov:collection", "prov:entity", ref.id, embedded_ref(name, i)));
  }
  if (facts.embeddings > 0) held["embeddings"] = facts.embeddings;
  if (facts.remote) held["remote"] = json_of(*facts.remote);
  set_facts(record, std::move(held), schema::cut(title, title_bytes_max));
  return record;
}

std::vector<std::string> named_calls_of(SpanFacts const& facts) {
  auto ids = facts.results;
  if (!facts.call_id.empty()) ids.push_back(facts.call_id);
  return ids;
}

schema::ProvActivity mentioned_span(SpanName const& name) {
  schema::ProvActivity record{node(span_ref(name))};
  record.is_declared = false;
  return record;
}

schema::ProvEntity log_record(schema::SecretKey const& key, std::string_view trace, LogFacts const& facts) {
  NodeRef const ref{RecordType::prov_entity, std::string(log_prefix) + facts.id};
  schema::ProvEntity record{node(ref)};
  auto& relations = record.relations.emplace();
  if (!trace.empty()) {
    relations.push_back(relation("wasGeneratedBy", "prov:entity", "prov:activity", ref.id, trace_ref(trace)));
  }
  if (facts.evaluation && !facts.evaluation->response_id.empty()) {
    relations.push_back(relation("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity", ref.id,
                                 named_response_ref(key, facts.evaluation->response_id)));
  }
  if (facts.is_output) {
    relations.push_back(relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id,
                                 named_answer_ref(answer_hash(key, facts.message->text))));
  }
  for (auto const& id : calls_in(facts)) {
    relations.push_back(relation("alternateOf", "prov:alternate1", "prov:alternate2", ref.id, named_call_ref(key, id)));
  }
  set_facts(record, log_facts_json(facts), facts.evaluation ? "evaluation" : facts.message ? "message" : "log record");
  return record;
}

schema::ProvEntity named_response_record(schema::SecretKey const& key, std::string_view response_id) {
  schema::ProvEntity record{node(named_response_ref(key, response_id))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"response"})"};
  return record;
}

schema::ProvEntity named_call_record(schema::SecretKey const& key, std::string_view call_id) {
  schema::ProvEntity record{node(named_call_ref(key, call_id))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"tool call"})"};
  return record;
}

schema::ProvEntity named_answer_record(std::string_view answer_hash) {
  schema::ProvEntity record{node(named_answer_ref(answer_hash))};
  record.attributes = schema::ProvAttributes{R"({"prov:label":"answer"})"};
  return record;
}

}  // namespace whence::net::capture
