// The tables of edge types and record types agree with themselves.
#include "schema/edges/edge_type.hpp"

#include "schema/records/prov/relations.hpp"
#include "schema/records/record_type.hpp"

#include <algorithm>
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
  auto const variants =
      std::ranges::count_if(types, [](EdgeType type) { return relation_variant_of(type).has_value(); });
  BOOST_TEST(types.size() + static_cast<std::size_t>(variants) + 1 == edge_type_count);
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
