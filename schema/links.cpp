// The reference members of each record, as edges.
#include "schema/links.hpp"

#include "schema/ref.hpp"

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

}  // namespace

bool draws_own_edges(RecordType type) noexcept {
  return type != RecordType::xml_message_attachment && type != RecordType::keyword && type != RecordType::subject &&
         type != RecordType::summary && type != RecordType::system_prompt_template;
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
