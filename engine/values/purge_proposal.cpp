// A proposal is kept as a PROV activity with one attribute for each member. Read back, an
// attribute that is not there, or of another kind, is an empty member; a record that is no proposal gives nothing.
#include "engine/values/purge_proposal.hpp"

#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/prov/relations.hpp"

#include <utility>

namespace whence::engine {
namespace {

constexpr std::string_view proposal_type = "whence:PurgeProposal";

void add_text(schema::json::Writer& out, std::string_view name, std::string const& text) {
  if (!text.empty()) out.member(name, text);
}

std::string text_in(boost::json::object const& attributes, std::string_view name) {
  return std::string(schema::json::text_at(attributes, name));
}

schema::Time time_in(boost::json::object const& attributes, std::string_view name) {
  return schema::parse_rfc3339(text_in(attributes, name)).value_or(schema::Time{});
}

std::vector<schema::NodeRef> refs_in(boost::json::object const& attributes) {
  std::vector<schema::NodeRef> refs;
  for (auto const& each : schema::json::list_at(attributes, "whence:refs")) {
    if (!each.is_string()) continue;
    if (auto ref = schema::parse_ref(std::string_view(each.get_string()))) refs.push_back(*std::move(ref));
  }
  return refs;
}

/// By sorted keys, as attributes are kept.
std::string attributes_of(PurgeProposal const& proposal) {
  std::string text;
  schema::json::Writer out(text);
  out.begin_object();
  out.member("prov:startTime", schema::format_rfc3339(proposal.proposed_at)).member("prov:type", proposal_type);
  if (proposal.cascades) out.member("whence:cascade", true);
  out.member("whence:confirmUntil", schema::format_rfc3339(proposal.confirm_until));
  add_text(out, "whence:confirmedBy", proposal.confirmed_by);
  add_text(out, "whence:person", proposal.person);
  out.member("whence:proposedBy", proposal.proposed_by);
  if (proposal.purged) out.member("whence:purged", *proposal.purged);
  add_text(out, "whence:reason", proposal.reason);
  if (!proposal.refs.empty()) {
    out.key("whence:refs").begin_array();
    for (auto const& ref : proposal.refs) out.value(schema::format_ref(ref));
    out.end_array();
  }
  add_text(out, "whence:withdrawnBy", proposal.withdrawn_by);
  out.end_object();
  return text;
}

}  // namespace

std::string proposal_id(std::string_view uuid) {
  return std::string(schema::proposal_prefix).append(uuid);
}

bool is_proposal_id(std::string_view id) noexcept {
  return id.starts_with(schema::proposal_prefix);
}

std::string erasure_id(std::string_view uuid) {
  return std::string(schema::erasure_prefix).append(uuid);
}

bool is_erasure_id(std::string_view id) noexcept {
  return id.starts_with(schema::erasure_prefix);
}

schema::ProvActivity record_of(PurgeProposal const& proposal) {
  schema::ProvActivity activity;
  activity.id = proposal.id;
  activity.qname = "whence:" + proposal.id.substr(std::string_view{"urn:whence:"}.size());
  activity.attributes = schema::ProvAttributes{.json = attributes_of(proposal)};
  activity.prefixes = schema::PrefixMap{.entries = {{"whence", "urn:whence:"}}};
  return activity;
}

std::optional<PurgeProposal> find_proposal_in(schema::ProvActivity const& record) {
  if (!is_proposal_id(record.id) || !record.attributes) return std::nullopt;
  auto const document = schema::json::parse(record.attributes->json);
  if (!document || !document->value.is_object()) return std::nullopt;
  auto const& attributes = document->value.get_object();
  auto const* const cascade = attributes.if_contains("whence:cascade");
  auto const* const purged = attributes.if_contains("whence:purged");
  PurgeProposal proposal{.id = record.id,
                         .refs = refs_in(attributes),
                         .person = text_in(attributes, "whence:person"),
                         .cascades = cascade != nullptr && cascade->is_bool() && cascade->get_bool(),
                         .reason = text_in(attributes, "whence:reason"),
                         .proposed_by = text_in(attributes, "whence:proposedBy"),
                         .proposed_at = time_in(attributes, "prov:startTime"),
                         .confirm_until = time_in(attributes, "whence:confirmUntil"),
                         .confirmed_by = text_in(attributes, "whence:confirmedBy"),
                         .withdrawn_by = text_in(attributes, "whence:withdrawnBy")};
  boost::system::error_code no_count;
  auto const count = purged != nullptr ? purged->to_number<std::uint64_t>(no_count) : 0;
  if (purged != nullptr && !no_count) proposal.purged = count;
  return proposal;
}

ProposalState state_of(PurgeProposal const& proposal, schema::Time now) noexcept {
  if (!proposal.confirmed_by.empty()) return ProposalState::confirmed;
  if (!proposal.withdrawn_by.empty()) return ProposalState::withdrawn;
  if (proposal.refs.empty() && proposal.person.empty()) return ProposalState::purged;
  return now > proposal.confirm_until ? ProposalState::expired : ProposalState::open;
}

}  // namespace whence::engine
