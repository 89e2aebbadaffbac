// Things of PROV documents in answers: their records, their labels' names, and the attributes of their edges.

#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

schema::ProvEntity entity(std::string id, std::vector<schema::ProvRelation> relations = {}) {
  schema::ProvEntity result;
  result.qname = "ex:" + id;
  result.id = std::move(id);
  result.attributes = schema::ProvAttributes{R"({"ex:v":1.0})"};
  if (!relations.empty()) result.relations = std::move(relations);
  return result;
}

/// `b` was derived from `a` twice and is an alternate of it, and of a unit.
struct ProvWorld {
  RecordWorld world;

  ProvWorld() {
    world.commit({unit("cu_a"), entity("a"),
                  entity("b", {{.relation = "wasDerivedFrom", .other = "ProvEntity:a", .attributes = {R"({"n":1})"}},
                               {.relation = "wasGeneratedBy", .attributes = {R"({"n":0})"}},
                               {.relation = "alternateOf", .other = "ProvEntity:a", .attributes = {R"({"n":2.0})"}},
                               {.relation = "wasDerivedFrom", .other = "ProvEntity:a", .attributes = {R"({"n":3})"}},
                               {.relation = "wasDerivedFrom", .other = "ContextUnit:cu_a", .attributes = {"{}"}}})});
  }
};

BOOST_FIXTURE_TEST_SUITE(prov, ProvWorld)

BOOST_AUTO_TEST_CASE(edges_show_the_attributes_of_their_relations) {
  auto const answer =
      json_of(ask(queries::node_get, world.view(),
                  {.refs = refs({"ProvEntity:b"}), .include = std::vector{queries::Include::edges}}, unlimited()));
  auto const& edges = answer.at("nodes").at(0).at("edges").as_array();
  std::string listed;
  for (auto const& edge : edges) {
    listed += text(edge.at("type")) + text(edge.at("to")) + text(edge.at("attributes")) + "\n";
  }
  BOOST_TEST(listed == R"("PROV_wasDerivedFrom""ProvEntity:a"{"n":1})"
                       "\n"
                       R"("PROV_alternateOf""ProvEntity:a"{"n":2})"
                       "\n"
                       R"("PROV_wasDerivedFrom""ProvEntity:a"{"n":3})"
                       "\n"
                       R"("PROV_wasDerivedFrom""ContextUnit:cu_a"{})"
                       "\n");
  BOOST_TEST(!edges.at(0).as_object().contains("weight"));
}

BOOST_AUTO_TEST_CASE(doubles_stay_doubles_in_answers) {
  auto const answer = text_of(
      ask(queries::node_get, world.view(),
          {.refs = refs({"ProvEntity:b"}), .include = std::vector{queries::Include::record, queries::Include::edges}},
          unlimited()));
  BOOST_TEST(answer.find(R"("attributes":{"ex:v":1.0})") != std::string::npos);
  BOOST_TEST(answer.find(R"("attributes":{"n":2.0})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lineage_leads_from_things_of_others_to_ours) {
  auto const found = json_of(ask(queries::lineage_ancestors, world.view(), {.ref = ref("ProvEntity:b")}, unlimited()));
  BOOST_TEST(refs_of(found) == "ContextUnit:cu_a ProvEntity:a");
}

BOOST_AUTO_TEST_CASE(things_are_found_by_their_plain_members) {
  using Op = queries::Condition::Op;
  auto const found = ask(
      queries::node_find, world.view(),
      {.type = schema::RecordType::prov_entity, .where = {{"qname", Op::eq, {"\"ex:a\""}}}, .order = {}}, unlimited());
  BOOST_TEST(refs_of(json_of(found)) == "ProvEntity:a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
