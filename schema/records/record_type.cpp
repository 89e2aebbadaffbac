// The table of record types.
#include "schema/records/record_type.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// In the order of their numbers, so that a type finds its row without a search.
constexpr std::array<RecordTypeInfo, record_type_count - 1> table = {{
    // type, name, id prefix, made prefix, is_node, is_impact, takes_parts_along
    {RecordType::context_unit, "ContextUnit", "cu_", "cu_", true, false, false},
    {RecordType::response, "Response", "resp_", "resp_", true, true, false},
    {RecordType::feedback_record, "FeedbackRecord", "", "fb_", true, false, false},
    {RecordType::lineage_manifest, "LineageManifest", "", "", false, false, false},
    {RecordType::topic, "Topic", "", "topic_", true, false, false},
    {RecordType::message, "Message", "", "msg_", true, false, true},
    {RecordType::xml_message_attachment, "XMLMessageAttachment", "", "", true, true, false},
    {RecordType::keyword, "Keyword", "", "", true, true, false},
    {RecordType::subject, "Subject", "", "", true, true, false},
    {RecordType::summary, "Summary", "", "", true, true, false},
    {RecordType::system_prompt_template, "SystemPromptTemplate", "", "", true, false, false},
    {RecordType::discussion, "Discussion", "", "", true, false, true},
    {RecordType::discussion_round, "DiscussionRound", "", "", true, false, false},
    {RecordType::summary_entry, "SummaryEntry", "", "", true, false, false},
    {RecordType::document, "Document", "", "", true, false, true},
    {RecordType::retrieved_chunk, "RetrievedChunk", "", "", true, false, false},
    {RecordType::query, "Query", "", "req_", true, false, false},
    {RecordType::embedding_vector, "EmbeddingVector", "", "", true, false, false},
    {RecordType::prompt_context, "PromptContext", "", "", true, false, false},
    {RecordType::answer, "Answer", "", "", true, true, false},
    {RecordType::citation, "Citation", "", "", false, false, false},
    {RecordType::prov_entity, "ProvEntity", "", "", true, true, false},
    {RecordType::prov_activity, "ProvActivity", "", "", true, false, false},
    {RecordType::prov_agent, "ProvAgent", "", "", true, false, false},
}};

consteval bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].type) != i + 1) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<RecordTypeInfo const> record_types() noexcept {
  return table;
}

RecordTypeInfo const& info(RecordType type) noexcept {
  auto const index = static_cast<std::size_t>(type) - 1;
  BOOST_ASSERT(index < table.size());
  return table[index];
}

std::optional<RecordType> find_record_type(std::string_view name) noexcept {
  auto const row = std::ranges::find(table, name, &RecordTypeInfo::name);
  if (row == table.end()) return std::nullopt;
  return row->type;
}

std::ostream& operator<<(std::ostream& out, RecordType type) {
  return out << name_of(type);
}

}  // namespace whence::schema
