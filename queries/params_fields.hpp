#pragma once
// What each params struct's members are called on the wire, whether they must be there, their bounds and one sentence
// about each. Parsing, `invalid_params` errors, OpenRPC and the command line read these tables. What every read takes
// besides (`as_of`, `limit`, `cursor`, ...) is net's.

#include "queries/params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/retrieval/fields.hpp"

#include <limits>

namespace whence::queries {

/// Responses one `impact.blame` may name.
inline constexpr std::size_t blame_responses_max = 10'000;

inline constexpr schema::Rule depth_rule = schema::rules::number(0, std::numeric_limits<std::uint32_t>::max());
/// Of a list that a subscription asks for.
inline constexpr schema::Rule match_rule = schema::rules::items(1, 10'000);
inline constexpr schema::Rule refs_rule = schema::rules::items(1, schema::limits::refs_max);

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::Order> {
  using T = queries::Order;
  static constexpr auto fields = std::tuple{
      field("by", &T::by, Presence::optional, rules::any(),
            "A field of the type, or status, score, feedback_count, tx."),
      field("desc", &T::desc, Presence::optional, rules::any(), "Largest first; ties stay in ascending order of id."),
  };
};

template <>
struct Describe<queries::NodeGetParams> {
  using T = queries::NodeGetParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::optional, rules::any(), "One node; either this or `refs`."),
      field("refs", &T::refs, Presence::optional, queries::refs_rule, "Several nodes, answered in this order."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::NodeFindParams> {
  using T = queries::NodeFindParams;
  static constexpr auto fields = std::tuple{
      field("type", &T::type, Presence::required, rules::any(), "The record type searched."),
      field("where", &T::where, Presence::optional, rules::any(), "Conditions by field; all must hold."),
      field("order", &T::order, Presence::optional, rules::any(), "By id where nothing is said."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::NodeCountParams> {
  using T = queries::NodeCountParams;
  static constexpr auto fields = std::tuple{
      field("type", &T::type, Presence::required, rules::any(), "The record type counted."),
      field("where", &T::where, Presence::optional, rules::any(), "Conditions by field; all must hold."),
  };
};

template <>
struct Describe<queries::LineageParams> {
  using T = queries::LineageParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "Where the walk starts; never among the nodes."),
      field("depth", &T::depth, Presence::optional, queries::depth_rule, "Edges from the start; all where not given."),
      field("edge_types", &T::edge_types, Presence::optional, rules::any(), "Edge types walked; all where not given."),
      field("node_types", &T::node_types, Presence::optional, rules::any(), "Record types returned; all are walked."),
      field("between", &T::between, Presence::optional, rules::any(),
            "[t0, t1], either may be null: returns nodes whose own time lies within, both ends included."),
      field("min_weight", &T::min_weight, Presence::optional, rules::number(0, 1),
            "Returns nodes whose weight is at least this."),
      field("form", &T::form, Presence::optional, rules::any(), "Whether nodes, edges or both are returned."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::LineageGraphParams> {
  using T = queries::LineageGraphParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node in the middle."),
      field("up", &T::up, Presence::optional, queries::depth_rule, "Depth of ancestors, 2 where not given."),
      field("down", &T::down, Presence::optional, queries::depth_rule, "Depth of descendants, 2 where not given."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::PathParams> {
  using T = queries::PathParams;
  static constexpr auto fields = std::tuple{
      field("from", &T::from, Presence::required, rules::any(), "The cause."),
      field("to", &T::to, Presence::required, rules::any(), "The effect."),
      field("kind", &T::kind, Presence::optional, rules::any(), "Which paths: the strongest, the shortest or all."),
  };
};

template <>
struct Describe<queries::InfluenceParams> {
  using T = queries::InfluenceParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node whose ancestors are weighed."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::ManifestParams> {
  using T = queries::ManifestParams;
  static constexpr auto fields = std::tuple{
      field("response_id", &T::response_id, Presence::required, rules::any(), "A response's id or ref."),
      field("max_bytes", &T::max_bytes, Presence::optional, rules::number(0, limits::integer_max),
            "The size the manifest is cut to, 5119 where not given."),
  };
};

template <>
struct Describe<queries::LineageDiffParams> {
  using T = queries::LineageDiffParams;
  static constexpr auto fields = std::tuple{
      field("a", &T::a, Presence::optional, rules::any(), "The node whose ancestry is compared; with `b`."),
      field("b", &T::b, Presence::optional, rules::any(), "The node it is compared with."),
      field("ref", &T::ref, Presence::optional, rules::any(), "One node at two moments; with `as_of_a`, `as_of_b`."),
      field("as_of_a", &T::as_of_a, Presence::optional, rules::any(), "The first moment."),
      field("as_of_b", &T::as_of_b, Presence::optional, rules::any(), "The second moment."),
      field("include", &T::include, Presence::optional, rules::any(),
            "What to add to each node of `added` and `removed`."),
  };
};

template <>
struct Describe<queries::ImpactParams> {
  using T = queries::ImpactParams;
  static constexpr auto fields = std::tuple{
      field("refs", &T::refs, Presence::required, queries::refs_rule, "The nodes whose effects are sought."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::BlameParams> {
  using T = queries::BlameParams;
  static constexpr auto fields = std::tuple{
      field("responses", &T::responses, Presence::optional, rules::items(1, queries::blame_responses_max),
            "The badly rated responses."),
      field("score_below", &T::score_below, Presence::optional, rules::any(),
            "Takes responses whose mean score is below this."),
  };
};

template <>
struct Describe<queries::VersionsListParams> {
  using T = queries::VersionsListParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "Any member of the chain."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::VersionsDiffParams> {
  using T = queries::VersionsDiffParams;
  static constexpr auto fields = std::tuple{
      field("a", &T::a, Presence::required, rules::any(), "One version."),
      field("b", &T::b, Presence::required, rules::any(), "Another version of the same thing."),
  };
};

template <>
struct Describe<queries::HistoryParams> {
  using T = queries::HistoryParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node."),
  };
};

template <>
struct Describe<queries::FeedbackListParams> {
  using T = queries::FeedbackListParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "A response or a context unit."),
  };
};

template <>
struct Describe<queries::AttachmentGetParams> {
  using T = queries::AttachmentGetParams;
  static constexpr auto fields = std::tuple{
      field("hash", &T::hash, Presence::required, rules::any(), "The attachment's hash, or its ref."),
  };
};

template <>
struct Describe<queries::AttachmentListParams> {
  using T = queries::AttachmentListParams;
  static constexpr auto fields = std::tuple{
      field("messageId", &T::message_id, Presence::optional, rules::any(), "Of this message."),
      field("topicId", &T::topic_id, Presence::optional, rules::any(), "Of this topic, deleted or not."),
      field("format", &T::format, Presence::optional, rules::any(), "llm-query or llm-response."),
      field("orphans", &T::orphans, Presence::optional, rules::any(), "Only those whose topic is deleted."),
      field("count_only", &T::count_only, Presence::optional, rules::any(), "Without the records."),
      field("total_size", &T::total_size, Presence::optional, rules::any(), "The size is told in any case."),
  };
};

template <>
struct Describe<queries::TraceParams> {
  using T = queries::TraceParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "A keyword, subject or summary."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::SummaryGetParams> {
  using T = queries::SummaryGetParams;
  static constexpr auto fields = std::tuple{
      field("topic", &T::topic, Presence::required, rules::any(), "The topic."),
      field("version", &T::version, Presence::optional, rules::number(1, limits::int32_max),
            "Which version; the latest where left out."),
  };
};

template <>
struct Describe<queries::TemplateActiveParams> {
  using T = queries::TemplateActiveParams;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::required, rules::any(), "The model."),
  };
};

template <>
struct Describe<queries::TemplateListParams> {
  using T = queries::TemplateListParams;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::optional, rules::any(), "The model; all where left out."),
  };
};

template <>
struct Describe<queries::DiscussionParams> {
  using T = queries::DiscussionParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
      field("persona", &T::persona, Presence::optional, rules::any(), "Who is to speak. All see the same."),
  };
};

template <>
struct Describe<queries::PromptFile> {
  using T = queries::PromptFile;
  static constexpr auto fields = std::tuple{
      field("name", &T::name, Presence::required, rules::any(), "What it is called."),
      field("content", &T::content, Presence::required, rules::any(), "Its text, shown as it is."),
  };
};

template <>
struct Describe<queries::DiscussionPromptParams> {
  using T = queries::DiscussionPromptParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
      field("persona", &T::persona, Presence::optional, rules::any(), "Who is to speak. All see the same."),
      field("files", &T::files, Presence::optional, rules::any(), "Texts the prompt ends with."),
  };
};

template <>
struct Describe<queries::RagGetParams> {
  using T = queries::RagGetParams;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::required, rules::any(), "The id of the query."),
  };
};

template <>
struct Describe<queries::RagRetrieveParams> {
  using T = queries::RagRetrieveParams;
  static constexpr auto fields = std::tuple{
      field("vector", &T::vector, Presence::required, embedding_rule, "The question as numbers, not all of them 0."),
      field("question", &T::question, Presence::optional, rules::any(), "What was asked; needed with `record`."),
      field("filters", &T::filters, Presence::optional, rules::any(), "Which chunks, and how many at most."),
      field("record", &T::record, Presence::optional, rules::any(),
            "Also records the query, its embedding and what was retrieved."),
  };
};

template <>
struct Describe<queries::Match> {
  using T = queries::Match;
  static constexpr auto fields = std::tuple{
      field("types", &T::types, Presence::optional, queries::match_rule, "Record types of the nodes."),
      field("ops", &T::ops, Presence::optional, queries::match_rule, "What happened to them."),
      field("topics", &T::topics, Presence::optional, queries::match_rule,
            "Ids of topics: the Topic itself and records that name it."),
      field("agents", &T::agents, Presence::optional, queries::match_rule, "Agents of Responses."),
      field("edge_types", &T::edge_types, Presence::optional, queries::match_rule,
            "Only changes that brought an edge of one of these types."),
      field("downstream_of", &T::downstream_of, Presence::optional, rules::any(),
            "Only descendants of this node, as the graph grows."),
      field("upstream_of", &T::upstream_of, Presence::optional, rules::any(),
            "Only ancestors of this node, as the graph grows."),
      field("depth", &T::depth, Presence::optional, rules::number(1, limits::int32_max),
            "Edges from either node; unbounded where left out. Only with one of them."),
  };
};

}  // namespace whence::schema
