// The references of context records as edges.
#include "schema/records/context/rules.hpp"
#include "schema/records/conversation/records.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/link.hpp"
#include "schema/types/ref.hpp"

#include <utility>

namespace whence::schema {
namespace {

/// Where a ref is none of a response or an answer, the check of its members has reported it.
void append_replay(Response const& response, std::vector<Link>& result) {
  if (!response.replay_of) return;
  auto ref = parse_ref(*response.replay_of);
  if (!ref || !is_replayable(ref->type)) return;
  result.push_back({EdgeType::replay_of, ref->type, {}, true, std::nullopt, {"replay_of"}, true, std::move(ref->id)});
}

void append_prompt_refs(Response const& response, std::vector<Link>& result) {
  if (!response.prompt_refs) return;
  for (std::size_t i = 0; i < response.prompt_refs->size(); ++i) {
    auto ref = parse_ref((*response.prompt_refs)[i]);
    if (!ref) continue;  // reported by the check of its members
    bool const has_basis = response.prompt_basis && i < response.prompt_basis->size();
    result.push_back({with_basis(EdgeType::prompted, has_basis ? (*response.prompt_basis)[i] : Basis::given),
                      ref->type,
                      {},
                      false,
                      std::nullopt,
                      {"prompt_refs", static_cast<std::uint32_t>(i)},
                      true,
                      std::move(ref->id)});
  }
}

}  // namespace

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
  for (std::size_t i = 0; i < response.context_units.size(); ++i) {
    ContextReference const& use = response.context_units[i];
    Link link{
        EdgeType::used_in,   RecordType::context_unit,
        use.context_unit_id, false,
        use.weight,          {"context_units", static_cast<std::uint32_t>(i), use.ref ? "ref" : "context_unit_id"}};
    if (use.ref) {
      auto ref = parse_ref(*use.ref);
      if (!ref || !is_usable(ref->type)) continue;  // reported by the check of its members
      link.other_type = ref->type;
      link.made_id = std::move(ref->id);
    }
    result.push_back(std::move(link));
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
  append_replay(response, result);
  if (response.person) append_belonging(EdgeType::of_person, *response.person, "person", result);
  if (response.conversation) append_belonging(EdgeType::of_session, *response.conversation, "conversation", result);
  return result;
}

std::vector<Link> links(Decision const& decision) {
  if (!decision.subject) return {};
  auto ref = parse_ref(*decision.subject);
  if (!ref || !is_decidable(ref->type)) return {};  // reported by the check of its members
  return {{EdgeType::decides, ref->type, {}, true, std::nullopt, {"subject"}, true, std::move(ref->id)}};
}

std::vector<Link> links(FeedbackRecord const& feedback) {
  std::vector<Link> result;
  if (!feedback.ref) {
    result.push_back(
        {EdgeType::evaluates, RecordType::response, feedback.response_id, true, feedback.score, {"response_id"}});
  } else {
    auto ref = parse_ref(*feedback.ref);
    if (!ref || ref->type != RecordType::answer) return {};  // reported by the check of its members
    result.push_back({EdgeType::evaluates, ref->type, {}, true, feedback.score, {"ref"}, true, std::move(ref->id)});
  }
  if (feedback.user_id) append_belonging(EdgeType::of_person, *feedback.user_id, "user_id", result);
  return result;
}

}  // namespace whence::schema
