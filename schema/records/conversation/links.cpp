// The references of conversation records as edges.
#include "schema/records/conversation/rules.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/link.hpp"
#include "schema/types/ref.hpp"

#include <utility>

namespace whence::schema {
namespace {

/// What was extracted belongs to its topic, which may be gone.
Link topic_link(std::string const& topic) {
  return {EdgeType::part_of, RecordType::topic, topic, true, std::nullopt, {"topic"}, false};
}

void append_source(std::vector<Link>& links, std::optional<std::string> const& hash) {
  if (!hash) return;
  links.push_back({EdgeType::extracted_from,
                   RecordType::xml_message_attachment,
                   *hash,
                   true,
                   std::nullopt,
                   {"sourceXmlHash"},
                   false});
}

}  // namespace

std::vector<Link> links(Message const& message) {
  std::vector<Link> result{{EdgeType::part_of, RecordType::topic, message.topic_id, true, std::nullopt, {"topicId"}}};
  if (message.person) append_belonging(EdgeType::of_person, *message.person, "person", result);
  return result;
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

std::vector<Link> links(Keyword const& keyword) {
  std::vector<Link> result;
  for (std::uint32_t i = 0; i < keyword.subjects.size(); ++i) {
    auto subject = parse_ref(keyword.subjects[i]);
    if (!subject || subject->type != RecordType::subject) continue;  // reported by its check
    result.push_back({EdgeType::part_of,
                      RecordType::subject,
                      keyword.subjects[i],
                      true,
                      std::nullopt,
                      {"subjects", i},
                      false,
                      std::move(subject->id)});
  }
  append_source(result, keyword.source_xml_hash);
  return result;
}

std::vector<Link> links(Subject const& subject) {
  std::vector<Link> result{topic_link(subject.topic)};
  append_source(result, subject.source_xml_hash);
  return result;
}

std::vector<Link> links(Summary const& summary) {
  std::vector<Link> result{topic_link(summary.topic)};
  append_source(result, summary.source_xml_hash);
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

}  // namespace whence::schema
