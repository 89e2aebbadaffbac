// The reference members of each record, as edges.
#include "schema/links.hpp"

#include <utility>

namespace whence::schema {
namespace {

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

}  // namespace

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
