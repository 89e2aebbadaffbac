// The edge table, and the lookups made from it.
#include "schema/edges/edge_type.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

using T = RecordType;
using E = EdgeType;
using C = Carries;
using I = Influence;

constexpr auto own_rules = std::to_array<EdgeRule>({
    {E::used_in, T::context_unit, T::response, C::weight, I::along},
    {E::derived_from, T::context_unit, T::context_unit, C::version, I::against},
    {E::updated_by, T::context_unit, T::response, C::time, I::against},
    {E::evaluates, T::feedback_record, T::response, C::score, I::none},
    {E::prompted, T::xml_message_attachment, T::response, C::none, I::along},
    {E::prompted, T::system_prompt_template, T::response, C::none, I::along},
    {E::prompted, T::discussion_round, T::response, C::none, I::along},
    {E::prompted, T::summary_entry, T::response, C::none, I::along},
    {E::rendered_as, T::response, T::xml_message_attachment, C::none, I::along},
    {E::extracted_from, T::keyword, T::xml_message_attachment, C::confidence, I::against},
    {E::extracted_from, T::subject, T::xml_message_attachment, C::confidence, I::against},
    {E::extracted_from, T::summary, T::xml_message_attachment, C::confidence, I::against},
    {E::revision_of, T::summary, T::summary, C::version, I::against},
    {E::revision_of, T::system_prompt_template, T::system_prompt_template, C::version, I::against},
    {E::part_of, T::message, T::topic, C::none, I::none},
    {E::part_of, T::xml_message_attachment, T::message, C::none, I::none},
    {E::part_of, T::discussion_round, T::discussion, C::none, I::none},
    {E::part_of, T::retrieved_chunk, T::document, C::none, I::against},
    {E::follows, T::discussion_round, T::discussion_round, C::none, I::against},
    {E::summarizes, T::summary_entry, T::discussion_round, C::none, I::against},
    {E::embeds, T::embedding_vector, T::query, C::none, I::against},
    {E::retrieved_for, T::retrieved_chunk, T::query, C::similarity, I::along},
    {E::included_in, T::retrieved_chunk, T::prompt_context, C::rank, I::along},
    {E::included_in, T::query, T::prompt_context, C::rank, I::along},
    // The embedding chose what was included, so it is an ancestor of the answer too.
    {E::included_in, T::embedding_vector, T::prompt_context, C::rank, I::along},
    {E::generated_from, T::answer, T::prompt_context, C::none, I::against},
    {E::cites, T::answer, T::retrieved_chunk, C::citation, I::against},
});

/// A relation of PROV leads from the record that keeps it to any node: PROV's things may each be of several kinds, and
/// documents of others may speak of nodes that are ours.
constexpr std::size_t nodes_count = 22;
constexpr std::size_t prov_types_count = 3;
constexpr std::size_t prov_relations_count = 15;
constexpr std::size_t rules_count = own_rules.size() + prov_relations_count * prov_types_count * nodes_count;

constexpr bool is_node(T type) {
  return type != T::lineage_manifest && type != T::citation;  // as the table of record types says; a test compares
}

consteval std::array<EdgeRule, rules_count> make_rules() {
  std::array<EdgeRule, rules_count> result = {};
  std::size_t count = 0;
  for (EdgeRule const& rule : own_rules) result[count++] = rule;
  for (auto type = E::prov_was_generated_by; type <= E::prov_mention_of; type = E(static_cast<unsigned>(type) + 1)) {
    auto const influence = relation_variant_of(type) ? I::against : I::none;
    for (auto from = T::prov_entity; from <= T::prov_agent; from = T(static_cast<unsigned>(from) + 1)) {
      for (std::size_t to = 1; to < record_type_count; ++to) {
        if (is_node(T(to))) result[count++] = {type, from, T(to), C::relation, influence};
      }
    }
  }
  return count == rules_count ? result : throw "the numbers of PROV's rules do not add up";
}

constexpr auto rules_table = make_rules();

/// Indexed by `EdgeType`, twins left out; number 0 is no type.
constexpr std::array<std::string_view, 32> names = {
    "",
    "USED_IN",
    "DERIVED_FROM",
    "UPDATED_BY",
    "EVALUATES",
    "PROMPTED",
    "RENDERED_AS",
    "EXTRACTED_FROM",
    "REVISION_OF",
    "PART_OF",
    "FOLLOWS",
    "SUMMARIZES",
    "EMBEDS",
    "RETRIEVED_FOR",
    "INCLUDED_IN",
    "GENERATED_FROM",
    "CITES",
    "PROV_wasGeneratedBy",
    "PROV_used",
    "PROV_wasInformedBy",
    "PROV_wasStartedBy",
    "PROV_wasEndedBy",
    "PROV_wasInvalidatedBy",
    "PROV_wasDerivedFrom",
    "PROV_wasAttributedTo",
    "PROV_wasAssociatedWith",
    "PROV_actedOnBehalfOf",
    "PROV_wasInfluencedBy",
    "PROV_specializationOf",
    "PROV_alternateOf",
    "PROV_hadMember",
    "PROV_mentionOf",
};

/// Influence by (edge type, `from` type), so that building the graph needs no search per edge.
using InfluenceTable = std::array<std::array<Influence, record_type_count>, edge_type_count>;

consteval InfluenceTable make_influence_table() {
  InfluenceTable result = {};
  for (EdgeRule const& rule : rules_table) {
    result[static_cast<std::size_t>(rule.type)][static_cast<std::size_t>(rule.from)] = rule.influence;
  }
  return result;
}

consteval std::array<Carries, edge_type_count> make_carries_table() {
  std::array<Carries, edge_type_count> result = {};
  for (EdgeRule const& rule : rules_table) {
    result[static_cast<std::size_t>(rule.type)] = rule.carries;
    if (auto const twin = relation_variant_of(rule.type)) result[static_cast<std::size_t>(*twin)] = rule.carries;
  }
  return result;
}

constexpr InfluenceTable influence_table = make_influence_table();
constexpr std::array<Carries, edge_type_count> carries_table = make_carries_table();

}  // namespace

std::span<EdgeRule const> edge_rules() noexcept {
  return rules_table;
}

std::string_view name_of(EdgeType type) noexcept {
  auto const named = static_cast<std::size_t>(named_type(type));
  BOOST_ASSERT(named < names.size());
  return names[named];
}

std::optional<EdgeType> find_edge_type(std::string_view name) noexcept {
  auto const found = std::find(names.begin() + 1, names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<EdgeType>(found - names.begin());
}

Carries carried_by(EdgeType type) noexcept {
  return carries_table[static_cast<std::size_t>(type)];
}

Influence influence_of(EdgeType type, RecordType from) noexcept {
  return influence_table[static_cast<std::size_t>(type)][static_cast<std::size_t>(from)];
}

std::ostream& operator<<(std::ostream& out, EdgeType type) {
  return out << name_of(type);
}

std::ostream& operator<<(std::ostream& out, Influence influence) {
  constexpr std::array<char const*, 3> words = {"none", "along", "against"};
  return out << words[static_cast<std::size_t>(influence)];
}

std::ostream& operator<<(std::ostream& out, Carries carries) {
  constexpr std::array<char const*, 10> words = {"none",       "weight",     "version", "time",     "score",
                                                 "confidence", "similarity", "rank",    "citation", "relation"};
  return out << words[static_cast<std::size_t>(carries)];
}

}  // namespace whence::schema
