// The references of conversation records as edges.
#include "schema/edges/link.hpp"
#include "schema/records/conversation/rules.hpp"

namespace whence::schema {
namespace {

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

}  // namespace

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

}  // namespace whence::schema
