// The table of PROV's relations, and names as ids.
#include "schema/records/prov/relations.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/percent.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <array>

namespace whence::schema {
namespace {

using T = RecordType;
using E = EdgeType;

constexpr auto relations_table = std::to_array<ProvRelationInfo>({
    {E::prov_was_generated_by, "wasGeneratedBy", "prov:entity", T::prov_entity, "prov:activity", T::prov_activity},
    {E::prov_used, "used", "prov:activity", T::prov_activity, "prov:entity", T::prov_entity},
    {E::prov_was_informed_by, "wasInformedBy", "prov:informed", T::prov_activity, "prov:informant", T::prov_activity},
    {E::prov_was_started_by, "wasStartedBy", "prov:activity", T::prov_activity, "prov:trigger", T::prov_entity,
     "prov:starter", T::prov_activity},
    {E::prov_was_ended_by, "wasEndedBy", "prov:activity", T::prov_activity, "prov:trigger", T::prov_entity,
     "prov:ender", T::prov_activity},
    {E::prov_was_invalidated_by, "wasInvalidatedBy", "prov:entity", T::prov_entity, "prov:activity", T::prov_activity},
    {E::prov_was_derived_from, "wasDerivedFrom", "prov:generatedEntity", T::prov_entity, "prov:usedEntity",
     T::prov_entity, "prov:activity", T::prov_activity},
    {E::prov_was_attributed_to, "wasAttributedTo", "prov:entity", T::prov_entity, "prov:agent", T::prov_agent},
    {E::prov_was_associated_with, "wasAssociatedWith", "prov:activity", T::prov_activity, "prov:agent", T::prov_agent,
     "prov:plan", T::prov_entity},
    {E::prov_acted_on_behalf_of, "actedOnBehalfOf", "prov:delegate", T::prov_agent, "prov:responsible", T::prov_agent},
    {E::prov_was_influenced_by,
     "wasInfluencedBy",
     "prov:influencee",
     T::prov_entity,
     "prov:influencer",
     T::prov_entity,
     "",
     {},
     true},
    {E::prov_specialization_of, "specializationOf", "prov:specificEntity", T::prov_entity, "prov:generalEntity",
     T::prov_entity},
    {E::prov_alternate_of, "alternateOf", "prov:alternate1", T::prov_entity, "prov:alternate2", T::prov_entity},
    {E::prov_had_member, "hadMember", "prov:collection", T::prov_entity, "prov:entity", T::prov_entity},
    {E::prov_mention_of, "mentionOf", "prov:specificEntity", T::prov_entity, "prov:generalEntity", T::prov_entity},
});

constexpr std::string_view own_namespace = "urn:whence:";

}  // namespace

std::span<ProvRelationInfo const> prov_relations() noexcept {
  return relations_table;
}

ProvRelationInfo const* find_prov_relation(std::string_view name) noexcept {
  auto const row = std::ranges::find(relations_table, name, &ProvRelationInfo::name);
  return row == relations_table.end() ? nullptr : &*row;
}

std::string prov_id(std::string_view iri, std::string_view bundle_iri) {
  std::string id{iri};
  if (!bundle_iri.empty()) id.append("#bundle=").append(bundle_iri);
  if (id.size() <= limits::id_bytes_max && !has_control_character(id)) return id;
  return "sha256-" + to_hex(sha256(id));
}

std::optional<std::string> ref_of_iri(std::string_view iri) {
  if (!iri.starts_with(own_namespace)) return std::nullopt;
  iri.remove_prefix(own_namespace.size());
  auto const colon = iri.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const type = find_record_type(iri.substr(0, colon));
  if (!type || !info(*type).is_node || is_prov(*type)) return std::nullopt;
  auto const id = percent_decoded(iri.substr(colon + 1));
  if (!id || id->empty() || !is_utf8(*id)) return std::nullopt;
  return format_ref(*type, *id);
}

}  // namespace whence::schema
