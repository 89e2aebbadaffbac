// The reference members of each record, as edges.
#include "schema/edges/links.hpp"

#include "schema/records/discussion/discussion.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/ref.hpp"

#include <set>
#include <string>
#include <utility>

namespace whence::schema {
namespace {

std::string template_id(std::string_view model_id, std::int64_t version) {
  return join_key({model_id, std::to_string(version)});
}

std::vector<Link> links(ContextUnit const& unit) {
  std::vector<Link> result;
  if (unit.previous_version_id) {
    result.push_back({EdgeType::derived_from,
                      RecordType::context_unit,
                      *unit.previous_version_id,
                      true,
                      static_cast<double>(unit.version),
                      {"previous_version_id"}});
  }
  if (unit.updated_by_response_id) {
    result.push_back({EdgeType::updated_by,
                      RecordType::response,
                      *unit.updated_by_response_id,
                      true,
                      std::nullopt,
                      {"updated_by_response_id"}});
  }
  if (!unit.derived_from) return result;
  for (std::size_t i = 0; i < unit.derived_from->size(); ++i) {
    std::string const& source = (*unit.derived_from)[i];
    if (source == unit.previous_version_id) continue;
    result.push_back({EdgeType::derived_from,
                      RecordType::context_unit,
                      source,
                      true,
                      std::nullopt,
                      {"derived_from", static_cast<std::uint32_t>(i)}});
  }
  return result;
}

void append_prompt_refs(Response const& response, std::vector<Link>& result) {
  if (!response.prompt_refs) return;
  for (std::size_t i = 0; i < response.prompt_refs->size(); ++i) {
    auto ref = parse_ref((*response.prompt_refs)[i]);
    if (!ref) continue;  // told where its fields are checked
    result.push_back({EdgeType::prompted,
                      ref->type,
                      {},
                      false,
                      std::nullopt,
                      {"prompt_refs", static_cast<std::uint32_t>(i)},
                      true,
                      std::move(ref->id)});
  }
}

std::vector<Link> links(Response const& response) {
  std::vector<Link> result;
  result.reserve(response.context_units.size());
  for (ContextReference const& use : response.context_units) {
    result.push_back({EdgeType::used_in,
                      RecordType::context_unit,
                      use.context_unit_id,
                      false,
                      use.weight,
                      {"context_units", static_cast<std::uint32_t>(result.size()), "context_unit_id"}});
  }
  if (response.query_attachment) {
    result.push_back({EdgeType::prompted,
                      RecordType::xml_message_attachment,
                      *response.query_attachment,
                      false,
                      std::nullopt,
                      {"query_attachment"}});
  }
  if (response.prompt_template) {
    result.push_back({EdgeType::prompted,
                      RecordType::system_prompt_template,
                      {},
                      false,
                      std::nullopt,
                      {"prompt_template"},
                      true,
                      template_id(response.prompt_template->model_id, response.prompt_template->version)});
  }
  append_prompt_refs(response, result);
  return result;
}

std::vector<Link> links(FeedbackRecord const& feedback) {
  return {{EdgeType::evaluates, RecordType::response, feedback.response_id, true, feedback.score, {"response_id"}}};
}

std::vector<Link> links(LineageManifest const& /*manifest*/) {
  return {};
}

std::vector<Link> links(Topic const& /*topic*/) {
  return {};
}

std::vector<Link> links(Message const& message) {
  return {{EdgeType::part_of, RecordType::topic, message.topic_id, true, std::nullopt, {"topicId"}}};
}

std::vector<Link> links(XmlMessageAttachment const& attachment) {
  std::vector<Link> result{
      {EdgeType::part_of, RecordType::message, attachment.message_id, true, std::nullopt, {"messageId"}}};
  if (!attachment.response_id) return result;
  bool const is_query = attachment.format == XmlFormat::llm_query;
  result.push_back({is_query ? EdgeType::prompted : EdgeType::rendered_as,
                    RecordType::response,
                    *attachment.response_id,
                    is_query,
                    std::nullopt,
                    {"responseId"}});
  return result;
}

std::vector<Link> source_link(std::optional<std::string> const& hash) {
  if (!hash) return {};
  return {{EdgeType::extracted_from,
           RecordType::xml_message_attachment,
           *hash,
           true,
           std::nullopt,
           {"sourceXmlHash"},
           false}};
}

std::vector<Link> links(Keyword const& keyword) {
  return source_link(keyword.source_xml_hash);
}

std::vector<Link> links(Subject const& subject) {
  return source_link(subject.source_xml_hash);
}

std::vector<Link> links(Summary const& summary) {
  auto result = source_link(summary.source_xml_hash);
  if (summary.previous_version) {
    result.push_back({EdgeType::revision_of,
                      RecordType::summary,
                      *summary.previous_version,
                      true,
                      static_cast<double>(summary.version),
                      {"previousVersion"},
                      false});
  }
  return result;
}

std::vector<Link> links(SystemPromptTemplate const& prompt) {
  if (prompt.version <= 1) return {};
  return {{EdgeType::revision_of,
           RecordType::system_prompt_template,
           {},
           true,
           static_cast<double>(prompt.version),
           {"version"},
           false,
           template_id(prompt.model_id, prompt.version - 1)}};
}

std::vector<Link> links(Discussion const& /*discussion*/) {
  return {};
}

std::vector<Link> links(DiscussionRound const& round) {
  if (round.user_id.empty() || round.discussion_id.empty()) return {};  // defaults where the text was unusable
  std::vector<Link> result{{EdgeType::part_of,
                            RecordType::discussion,
                            {},
                            true,
                            std::nullopt,
                            {"discussionId"},
                            true,
                            discussion_key(round.user_id, round.discussion_id)}};
  if (round.round_number <= 1) return result;
  result.push_back({EdgeType::follows,
                    RecordType::discussion_round,
                    {},
                    true,
                    std::nullopt,
                    {"roundNumber"},
                    false,  // a number that does not follow is told as that
                    round_key(round.user_id, round.discussion_id, round.round_number - 1)});
  return result;
}

std::vector<Link> links(SummaryEntry const& summary) {
  std::vector<Link> result;
  for (std::size_t i = 0; i < summary.replaces_rounds.size(); ++i) {
    result.push_back({EdgeType::summarizes,
                      RecordType::discussion_round,
                      {},
                      true,
                      std::nullopt,
                      {"replacesRounds", static_cast<std::uint32_t>(i)},
                      false,  // told with the rules of the summary's own round
                      round_key(summary.user_id, summary.discussion_id, summary.replaces_rounds[i])});
  }
  return result;
}

std::vector<Link> links(Document const& /*document*/) {
  return {};
}

std::vector<Link> links(RetrievedChunk const& chunk) {
  std::vector<Link> result{{EdgeType::part_of,
                            RecordType::document,
                            chunk.metadata.document_name,
                            true,
                            std::nullopt,
                            {"metadata", LinkPlace::no_item, "document_name"}}};
  if (!chunk.request_id) return result;
  result.push_back({EdgeType::retrieved_for,
                    RecordType::query,
                    *chunk.request_id,
                    true,
                    chunk.similarity_score,
                    {"request_id"},
                    true,
                    {},
                    static_cast<std::uint32_t>(chunk.rank.value_or(0))});
  return result;
}

std::vector<Link> links(Query const& /*query*/) {
  return {};
}

/// What all records of a request but its query are drawn to.
Link query_link(EdgeType type, std::string const& request_id, bool owner_is_from) {
  return {type, RecordType::query, request_id, owner_is_from, std::nullopt, {"request_id"}};
}

std::vector<Link> links(EmbeddingVector const& embedding) {
  return {query_link(EdgeType::embeds, embedding.request_id, true),
          {EdgeType::included_in,
           RecordType::prompt_context,
           embedding.request_id,
           true,
           std::nullopt,
           {"request_id"},
           false}};
}

std::vector<Link> links(PromptContext const& prompt) {
  std::vector<Link> result{query_link(EdgeType::included_in, prompt.request_id, false),
                           {EdgeType::included_in,
                            RecordType::embedding_vector,
                            prompt.request_id,
                            false,
                            std::nullopt,
                            {"request_id"},
                            false}};
  for (std::size_t i = 0; i < prompt.retrieved_chunks.size(); ++i) {
    result.push_back({EdgeType::included_in,
                      RecordType::retrieved_chunk,
                      prompt.retrieved_chunks[i].chunk_id,
                      false,
                      static_cast<double>(i + 1),
                      {"retrieved_chunks", static_cast<std::uint32_t>(i), "chunk_id"},
                      false});  // told as not retrieved
  }
  return result;
}

std::vector<Link> links(Answer const& answer) {
  std::vector<Link> result{{EdgeType::generated_from,
                            RecordType::prompt_context,
                            answer.request_id,
                            true,
                            std::nullopt,
                            {"request_id"},
                            false}};
  std::set<std::string_view> cited;  // one edge a chunk, also where it is cited for several things
  for (std::size_t i = 0; i < answer.citations.size(); ++i) {
    auto const& chunk = answer.citations[i].chunk_id;
    if (!chunk || !cited.insert(*chunk).second) continue;
    result.push_back({EdgeType::cites,
                      RecordType::retrieved_chunk,
                      *chunk,
                      true,
                      std::nullopt,
                      {"citations", static_cast<std::uint32_t>(i), "chunk_id"},
                      false});  // told as unsupported
  }
  return result;
}

std::vector<Link> links(Citation const& /*citation*/) {
  return {};
}

/// The edge of one relation to one object. What is ours may be known here or not: the document comes from elsewhere.
void append_relation(EdgeType type, std::string const& other, std::size_t place, std::vector<Link>& result) {
  auto ref = parse_ref(other);
  if (!ref) return;  // told where its fields are checked
  result.push_back({type,
                    ref->type,
                    {},
                    true,
                    static_cast<double>(place),
                    {"relations", static_cast<std::uint32_t>(place), "other"},
                    is_prov(ref->type),
                    std::move(ref->id)});
}

std::vector<Link> links(ProvNode const& node) {
  std::vector<Link> result;
  if (!node.relations) return result;
  result.reserve(node.relations->size());
  for (std::size_t i = 0; i < node.relations->size(); ++i) {
    ProvRelation const& relation = (*node.relations)[i];
    auto const* const row = find_prov_relation(relation.relation);
    if (row == nullptr) continue;
    if (relation.other) append_relation(row->edge, *relation.other, i, result);
    if (!relation.others) continue;
    for (std::string const& other : *relation.others) append_relation(row->edge, other, i, result);
  }
  return result;
}

}  // namespace

bool edges_equal_links(RecordType type) noexcept {
  switch (type) {
    case RecordType::context_unit:
    case RecordType::response:
    case RecordType::feedback_record:
    case RecordType::topic:
    case RecordType::message:
    case RecordType::discussion:
    case RecordType::document:
    case RecordType::query:
      return true;
    default:
      return false;
  }
}

std::string LinkPlace::pointer() const {
  std::string text = "/" + std::string(member);
  if (item != no_item) text += "/" + std::to_string(item);
  if (!item_member.empty()) text.append("/").append(item_member);
  return text;
}

std::vector<Link> links_of(Record const& record) {
  return std::visit([](auto const& each) { return links(each); }, record);
}

}  // namespace whence::schema
