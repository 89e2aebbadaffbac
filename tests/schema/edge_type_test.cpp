// The tables of edge types and record types agree with themselves.
#include "schema/types/edge_type.hpp"

#include "schema/records/prov/relations.hpp"
#include "schema/types/record_type.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

BOOST_AUTO_TEST_CASE(finds_every_edge_type_by_its_name) {
  std::set<std::string_view> names;
  for (std::size_t i = 1; i < edge_type_count; ++i) {
    auto const type = static_cast<EdgeType>(i);
    if (named_type(type) != type) continue;
    BOOST_TEST(names.insert(name_of(type)).second);
    BOOST_TEST((find_edge_type(name_of(type)) == type));
  }
  BOOST_TEST(!find_edge_type(""));
  BOOST_TEST(!find_edge_type("used_in"));
}

/// An act's halves have the same ancestors and descendants, and each keeps what it had when the other is deleted: so
/// whatever one half may have, the other may get.
BOOST_AUTO_TEST_CASE(each_half_of_an_act_may_have_what_the_other_has) {
  auto const is_half = [](RecordType type) { return type == RecordType::response || type == RecordType::answer; };
  std::set<std::pair<RecordType, RecordType>> repeated;
  for (EdgeRule const& rule : edge_rules()) {
    if (rule.type == EdgeType::through_act) repeated.emplace(rule.from, rule.to);
  }
  for (EdgeRule const& rule : edge_rules()) {
    if (rule.influence == Influence::none) continue;
    auto const cause = rule.influence == Influence::along ? rule.from : rule.to;
    auto const effect = rule.influence == Influence::along ? rule.to : rule.from;
    for (auto const half : {RecordType::response, RecordType::answer}) {
      BOOST_TEST_CONTEXT(rule.type << " from " << rule.from << " for " << half) {
        if (is_half(effect)) BOOST_TEST(repeated.contains({cause, half}));
        if (is_half(cause)) BOOST_TEST(repeated.contains({half, effect}));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(finds_every_rule_from_its_type_and_source) {
  std::set<std::tuple<EdgeType, RecordType, RecordType>> pairs;
  std::set<EdgeType> types;
  for (EdgeRule const& rule : edge_rules()) {
    BOOST_TEST_CONTEXT(rule.type << " from " << rule.from) {
      BOOST_TEST(pairs.insert({rule.type, rule.from, rule.to}).second);
      BOOST_TEST(influence_of(rule.type, rule.from) == rule.influence);
      BOOST_TEST(carried_by(rule.type) == rule.carries);
      BOOST_TEST(info(rule.from).is_node);
      BOOST_TEST(info(rule.to).is_node);
    }
    types.insert(rule.type);
  }
  std::size_t variants = 0;
  for (auto const type : types) for_each_variant(type, [&](EdgeType) { ++variants; });
  BOOST_TEST(types.size() + variants + 1 == edge_type_count);
}

BOOST_AUTO_TEST_CASE(basis_variants_are_their_types_and_flow_as_these) {
  std::set<EdgeType> seen;
  for (auto const type : {EdgeType::prompted, EdgeType::through_act}) {
    for (auto const basis : {Basis::id, Basis::text, Basis::place, Basis::instruction, Basis::question}) {
      auto const variant = with_basis(type, basis);
      BOOST_TEST(seen.insert(variant).second);
      BOOST_TEST((named_type(variant) == type));
      BOOST_TEST(basis_of(variant) == basis);
      BOOST_TEST(name_of(variant) == name_of(type));
      BOOST_TEST((carried_by(variant) == carried_by(type)));
      BOOST_TEST((influence_of(variant, RecordType::response) == influence_of(type, RecordType::response)));
      EdgeTypeSet set;
      set.insert(type);
      BOOST_TEST(set.contains(variant));
    }
    BOOST_TEST((with_basis(type, Basis::given) == type));
  }
  for (auto const basis : {Basis::id, Basis::text, Basis::place}) {
    auto const variant = with_basis(EdgeType::prov_was_derived_from, basis);
    BOOST_TEST(seen.insert(variant).second);
    BOOST_TEST((named_type(variant) == EdgeType::prov_was_derived_from));
    BOOST_TEST(basis_of(variant) == basis);
    BOOST_TEST((carried_by(variant) == Carries::relation));
    BOOST_TEST((influence_of(variant, RecordType::prov_entity) == Influence::against));
    BOOST_TEST((relation_variant_of(variant) == relation_variant_of(EdgeType::prov_was_derived_from)));
  }
  BOOST_TEST((with_basis(EdgeType::prov_was_derived_from, Basis::question) == EdgeType::prov_was_derived_from));
  BOOST_TEST((with_basis(EdgeType::used_in, Basis::text) == EdgeType::used_in));
  BOOST_TEST(basis_of(EdgeType::used_in) == Basis::given);
}

BOOST_AUTO_TEST_CASE(a_set_of_types_is_kept_to_bases) {
  auto set = EdgeTypeSet::all();
  set.keep(std::array{Basis::text, Basis::place});
  BOOST_TEST(set.contains(with_basis(EdgeType::prompted, Basis::text)));
  BOOST_TEST(set.contains(with_basis(EdgeType::through_act, Basis::place)));
  BOOST_TEST(!set.contains(with_basis(EdgeType::prompted, Basis::id)));
  BOOST_TEST(!set.contains(EdgeType::prompted));
  BOOST_TEST(!set.contains(EdgeType::used_in));
  auto given = EdgeTypeSet::all();
  given.keep(std::array{Basis::given});
  BOOST_TEST(given.contains(EdgeType::used_in));
  BOOST_TEST(given.contains(with_basis(EdgeType::prompted, Basis::question)));
  BOOST_TEST(!given.contains(with_basis(EdgeType::prompted, Basis::text)));
  given.leave_out_roles();
  BOOST_TEST(!given.contains(with_basis(EdgeType::prompted, Basis::question)));
  BOOST_TEST(given.contains(EdgeType::prompted));
}

BOOST_AUTO_TEST_CASE(relation_variants_are_their_types_without_influence) {
  for (EdgeRule const& rule : edge_rules()) {
    auto const variant = relation_variant_of(rule.type);
    bool const is_prov_influence = rule.carries == Carries::relation && rule.influence != Influence::none;
    BOOST_TEST(variant.has_value() == is_prov_influence);
    BOOST_TEST((named_type(rule.type) == rule.type));
    if (!variant) continue;
    BOOST_TEST(name_of(*variant) == name_of(rule.type));
    BOOST_TEST((named_type(*variant) == rule.type));
    BOOST_TEST(!relation_variant_of(*variant).has_value());
    BOOST_TEST((carried_by(*variant) == rule.carries));
    BOOST_TEST((influence_of(*variant, rule.from) == Influence::none));
    EdgeTypeSet set;
    set.insert(rule.type);
    BOOST_TEST(set.contains(*variant));
  }
}

BOOST_AUTO_TEST_CASE(relations_of_prov_lead_from_their_records_to_every_node) {
  std::set<RecordType> targets;
  for (EdgeRule const& rule : edge_rules()) {
    if (rule.type == EdgeType::prov_used && rule.from == RecordType::prov_activity) targets.insert(rule.to);
    if (rule.carries == Carries::relation) BOOST_TEST(is_prov(rule.from));
  }
  for (RecordTypeInfo const& row : record_types()) BOOST_TEST(targets.contains(row.type) == row.is_node);
}

BOOST_AUTO_TEST_CASE(answers_no_influence_for_pairs_without_a_rule) {
  BOOST_TEST(influence_of(EdgeType::used_in, RecordType::topic) == Influence::none);
}

BOOST_AUTO_TEST_CASE(parts_influence_only_from_documents_to_chunks) {
  for (EdgeRule const& rule : edge_rules()) {
    if (rule.type != EdgeType::part_of) continue;
    auto const wanted = rule.from == RecordType::retrieved_chunk ? Influence::against : Influence::none;
    BOOST_TEST(rule.influence == wanted);
  }
}

BOOST_AUTO_TEST_CASE(finds_every_record_type_by_its_name) {
  std::set<std::string_view> names;
  for (RecordTypeInfo const& row : record_types()) {
    BOOST_TEST(names.insert(row.name).second);
    BOOST_TEST((find_record_type(row.name) == row.type));
    BOOST_TEST((&info(row.type) == &row));
  }
  BOOST_TEST(names.size() + 1 == record_type_count);
  BOOST_TEST(!find_record_type("contextunit"));
}

BOOST_AUTO_TEST_CASE(keeps_sets_of_types) {
  EdgeTypeSet edges;
  edges.insert(EdgeType::cites);
  BOOST_TEST(edges.contains(EdgeType::cites));
  BOOST_TEST(!edges.contains(EdgeType::used_in));
  BOOST_TEST(EdgeTypeSet::all().is_all());
  edges.insert(EdgeType::prov_mention_of);
  BOOST_TEST(edges.contains(EdgeType::prov_mention_of));
  BOOST_TEST(!edges.contains(EdgeType::prov_was_generated_by));
  RecordTypeSet records;
  BOOST_TEST(records.empty());
  records.insert(RecordType::citation);
  BOOST_TEST(records.contains(RecordType::citation));
}

}  // namespace
}  // namespace whence::schema
