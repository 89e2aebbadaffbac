#pragma once
// The field tables of the context records.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/context/records.hpp"

#include <limits>
#include <tuple>

namespace whence::schema {

inline constexpr Rule version_rule = rules::number(1, limits::int32_max);
inline constexpr Rule token_count_rule = rules::number(0, limits::int32_max);
inline constexpr Rule weight_rule = rules::number(0, 1);
inline constexpr Rule content_rule = rules::text(0, limits::content_max);
inline constexpr Rule amount_rule = rules::number(0, std::numeric_limits<double>::max());
/// An entry of a manifest's tree: a unit's id, or a ref, whose form check.cpp looks at.
inline constexpr Rule use_name_rule = rules::text(1, limits::source_max + 32);

template <>
struct Describe<ContextUnit> {
  using T = ContextUnit;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::id("cu_"),
            "Identity; starts `cu_`. Made from source and content where there is content."),
      field("type", &T::type, Presence::required, rules::any(), "System, User, External or ModelState."),
      field("source", &T::source, Presence::required, rules::text(1, limits::source_max), "Where it came from."),
      field("content", &T::content, Presence::optional, content_rule, "Its text."),
      field("timestamp", &T::timestamp, Presence::made, rules::any(), "When it was made; now where left out."),
      field("contribution_weight", &T::contribution_weight, Presence::optional, weight_rule,
            "Kept as given; the weight of a use is on its edge."),
      field("embedding_id", &T::embedding_id, Presence::optional, rules::id(), "Reference into a vector store."),
      field("summary", &T::summary, Presence::optional, rules::text(0, limits::summary_max), "For people."),
      field("version", &T::version, Presence::made, version_rule, "1, or the previous version's plus 1."),
      field("previous_version_id", &T::previous_version_id, Presence::optional, rules::id("cu_"),
            "The unit this one replaces; required from version 2 on, absent on version 1."),
      field("updated_by_response_id", &T::updated_by_response_id, Presence::optional, rules::id("resp_"),
            "The response that caused this version."),
      field("derived_from", &T::derived_from, Presence::optional, rules::ids("cu_", 0, 1000),
            "Units it was made from, each named once."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<ContextReference> {
  using T = ContextReference;
  static constexpr auto fields = std::tuple{
      field("context_unit_id", &T::context_unit_id, Presence::made, rules::id("cu_"),
            "The unit used; may be left out where its content is given."),
      field("weight", &T::weight, Presence::made, weight_rule,
            "Its share; all shares sum to 1. May be left out in capture mode."),
      field("ref", &T::ref, Presence::optional, rules::any(),
            "In place of `context_unit_id`: the RetrievedChunk, Document, Response, Message or Answer used."),
      field("content", &T::content, Presence::optional, content_rule, "The text of a unit given here."),
      field("source", &T::source, Presence::optional, rules::text(1, limits::source_max), "That unit's source."),
      field("type", &T::type, Presence::optional, rules::any(), "That unit's type."),
      field("timestamp", &T::timestamp, Presence::optional, rules::any(),
            "When that unit was made; the response's time where left out."),
      field("embedding_id", &T::embedding_id, Presence::optional, rules::id(), "That unit's embedding."),
      field("summary", &T::summary, Presence::optional, rules::text(0, limits::summary_max), "That unit's summary."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of that unit."),
  };
};

template <>
struct Describe<Usage> {
  using T = Usage;
  static constexpr auto fields = std::tuple{
      field("input_tokens", &T::input_tokens, Presence::optional, rules::number(0, limits::integer_max),
            "Tokens of the prompt."),
      field("output_tokens", &T::output_tokens, Presence::optional, rules::number(0, limits::integer_max),
            "Tokens of the output."),
  };
};

template <>
struct Describe<TemplateName> {
  using T = TemplateName;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::required, rules::id(), "The template's model."),
      field("version", &T::version, Presence::required, version_rule, "The template's version."),
  };
};

template <>
struct Describe<PromptMessage> {
  using T = PromptMessage;
  static constexpr auto fields = std::tuple{
      field("role", &T::role, Presence::required, rules::text(0, limits::id_bytes_max), "Who says it, such as user."),
      field("start", &T::start, Presence::required, rules::number(0, limits::content_max),
            "Where it starts in `prompt`, in code points."),
      field("end", &T::end, Presence::required, rules::number(0, limits::content_max), "Where it ends."),
  };
};

template <>
struct Describe<Response> {
  using T = Response;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::id("resp_"), "Identity; starts `resp_`."),
      field("timestamp", &T::timestamp, Presence::required, rules::any(), "When it was generated."),
      field("agent", &T::agent, Presence::required, rules::text(1, limits::agent_max), "Who generated it."),
      field("model", &T::model, Presence::required, rules::text(1, limits::model_max), "With which model."),
      field("token_count", &T::token_count, Presence::optional, token_count_rule, "Its size in tokens."),
      field("usage", &T::usage, Presence::optional, rules::any(), "Tokens that the call took."),
      field("latency_ms", &T::latency_ms, Presence::optional, amount_rule, "How long the call took."),
      field("cost", &T::cost, Presence::optional, amount_rule, "What the call cost, in the client's currency."),
      field("request_id", &T::request_id, Presence::optional, rules::id(),
            "The request it answers: with the Answer of that request it is one act."),
      field("prompt", &T::prompt, Presence::optional, content_rule, "What the model was given."),
      field("prompt_messages", &T::prompt_messages, Presence::optional, rules::items(0, limits::prompt_messages_max),
            "The messages of `prompt` as parts of its text, in their order."),
      field("question", &T::question, Presence::optional, rules::text(0, limits::question_max),
            "The last message of the user, or as much of it."),
      field("conversation", &T::conversation, Presence::optional, rules::text(1, limits::id_bytes_max),
            "The session that it is part of."),
      field("person", &T::person, Presence::optional, rules::text(1, limits::id_bytes_max), "Whom it was made for."),
      field("replay_of", &T::replay_of, Presence::optional, rules::any(),
            "Where a call was made again: the ref of the Response or Answer that it gave first."),
      field("content", &T::content, Presence::optional, content_rule, "What the model said."),
      field("context_units", &T::context_units, Presence::required, rules::items(0, limits::captured_units_max),
            "What it was made from, each source once: 1 to 50, in capture mode none to 10,000."),
      field("given_weights", &T::given_weights, Presence::copied, rules::items(0, limits::captured_units_max),
            "The weights of context_units before capture mode scaled them."),
      field("prompt_template", &T::prompt_template, Presence::optional, rules::any(),
            "The system prompt template it was made with."),
      field("query_attachment", &T::query_attachment, Presence::optional, rules::any(),
            "Hash of the llm-query it answers."),
      field("prompt_refs", &T::prompt_refs, Presence::optional, rules::items(0, limits::refs_max),
            "Refs of what its prompt was made from, each once and without a weight."),
      field("prompt_basis", &T::prompt_basis, Presence::optional, rules::items(0, limits::refs_max),
            "How each of prompt_refs is known, in their order; all are given where left out."),
      field("manifest_json", &T::manifest_json, Presence::optional, rules::any(),
            "Its manifest as JSON text: checked against the record, not stored."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<FeedbackRecord> {
  using T = FeedbackRecord;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::free_id("fb_"), "Identity; starts `fb_` when the server makes it."),
      field("response_id", &T::response_id, Presence::made, rules::id("resp_"), "The response rated."),
      field("ref", &T::ref, Presence::optional, rules::any(),
            "In place of `response_id`: the Answer or Response rated."),
      field("timestamp", &T::timestamp, Presence::required, rules::any(), "Not earlier than its response's."),
      field("score", &T::score, Presence::optional, rules::number(-1, 1),
            "-1 bad, 0 neutral, 1 good. Required, but in capture mode."),
      field("feedback_text", &T::feedback_text, Presence::optional, rules::text(0, limits::feedback_text_max),
            "A comment."),
      field("user_id", &T::user_id, Presence::optional, rules::text(0, limits::user_id_max), "Who rated."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Decision> {
  using T = Decision;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::free_id("dec_"), "Identity; starts `dec_` when the server makes it."),
      field("subject", &T::subject, Presence::made, rules::text(1, limits::source_max + 32),
            "Ref of what was decided about. Required, but in capture mode."),
      field("verdict", &T::verdict, Presence::required, rules::any(),
            "approve, override (a person's own takes its place), reject or stop."),
      field("by", &T::by, Presence::required, rules::text(1, limits::user_id_max), "Who decided."),
      field("timestamp", &T::timestamp, Presence::required, rules::any(), "When it was decided."),
      field("reason", &T::reason, Presence::optional, rules::text(0, limits::feedback_text_max), "Why."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Person> {
  using T = Person;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::id(), "Identity: as the application names the person."),
      field("name", &T::name, Presence::optional, rules::text(1, limits::summary_max), "For people."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Session> {
  using T = Session;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::id(), "Identity: as the application names the session."),
      field("name", &T::name, Presence::optional, rules::text(1, limits::summary_max), "For people."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Hold> {
  using T = Hold;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::free_id("hold_"),
            "Identity; starts `hold_` when the server makes it."),
      field("refs", &T::refs, Presence::optional, rules::items(1, limits::held_refs_max), "Refs of nodes that stay."),
      field("person", &T::person, Presence::optional, rules::id(), "A Person's id: everything of the person stays."),
      field("topic", &T::topic, Presence::optional, rules::id(), "A Topic's id: everything of the topic stays."),
      field("query", &T::query, Presence::copied, rules::text(1, limits::held_query_max),
            "Type and conditions, as JSON: what matches when it would be removed stays."),
      field("reason", &T::reason, Presence::required, rules::text(1, limits::feedback_text_max), "Why."),
      field("timestamp", &T::timestamp, Presence::required, rules::any(), "Since when."),
      field("cleared", &T::cleared, Presence::copied, rules::text(1, limits::feedback_text_max),
            "Why it holds nothing any more."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<ManifestNode> {
  using T = ManifestNode;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, use_name_rule, "The unit used, or the ref of another source."),
      field("type", &T::type, Presence::optional, rules::any(), "The unit's type; required where nothing is marked."),
      field("source", &T::source, Presence::made, rules::text(1, limits::source_max),
            "The unit's source; required where nothing is marked."),
      field("weight", &T::weight, Presence::required, weight_rule, "Its share; all shares sum to 1."),
      field("embedding_id", &T::embedding_id, Presence::optional, rules::id(), "The unit's embedding."),
      field("summary", &T::summary, Presence::optional, rules::text(0, limits::summary_max), "The unit's summary."),
      field("deleted", &T::deleted, Presence::optional, rules::any(),
            "True where the unit is deleted; then only its id and its weight are there."),
      field("expired", &T::expired, Presence::optional, rules::any(),
            "True where the content of the unit is gone; then only its id and its weight are there."),
      field("purged", &T::purged, Presence::optional, rules::any(), "True where it was purged."),
  };
};

template <>
struct Describe<ManifestEdge> {
  using T = ManifestEdge;
  static constexpr auto fields = std::tuple{
      field("from", &T::from, Presence::required, use_name_rule, "An entry of the tree."),
      field("to", &T::to, Presence::required, rules::id("resp_"), "The response."),
      field("weight", &T::weight, Presence::required, weight_rule, "Equal to the tree entry's."),
  };
};

template <>
struct Describe<ProvenanceTree> {
  using T = ProvenanceTree;
  static constexpr auto fields = std::tuple{
      field("root", &T::root, Presence::required, rules::id("resp_"), "The response."),
      field("edges", &T::edges, Presence::made, rules::items(0, limits::captured_units_max),
            "One edge for each entry of the tree; what the tree implies where left out."),
  };
};

template <>
struct Describe<LineageManifest> {
  using T = LineageManifest;
  static constexpr auto fields = std::tuple{
      field("response_id", &T::response_id, Presence::required, rules::id("resp_"), "The response it describes."),
      field("timestamp", &T::timestamp, Presence::required, rules::any(), "When the response was generated."),
      field("agent", &T::agent, Presence::made, rules::text(1, limits::agent_max),
            "Who generated it; required where nothing is marked."),
      field("model", &T::model, Presence::made, rules::text(1, limits::model_max),
            "With which model; required where nothing is marked."),
      field("token_count", &T::token_count, Presence::optional, token_count_rule, "Its size in tokens."),
      field("context_tree", &T::context_tree, Presence::required, rules::items(1, limits::captured_units_max),
            "What it was made from."),
      field("provenance_tree", &T::provenance_tree, Presence::required, rules::any(), "The same as edges."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Kept on the response."),
      field("expired", &T::expired, Presence::optional, rules::any(),
            "True where the content of the response is gone; then agent, model and token_count are not there."),
      field("purged", &T::purged, Presence::optional, rules::any(), "True where it was purged."),
  };
};

}  // namespace whence::schema
