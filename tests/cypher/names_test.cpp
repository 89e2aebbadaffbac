// Names of a query that a schema lacks: which, where, and what is said of them.

#include "queries/cypher/query.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

using namespace queries::cypher;

NameCatalog const catalog{
    .labels = {"Node", "Response", "ContextUnit"},
    .relation_types = {"USED_IN", "INFLUENCES"},
    .properties = {"id", "model", "weight"},
};

/// "rule line:column message" of each, a line each.
std::string noticed(std::string_view text) {
  auto const prepared = prepare(text);
  if (!prepared) return "refused: " + prepared.error().message;
  std::string all;
  for (auto const& notice : prepared->notices(catalog)) {
    all += std::string{rule_of(notice.kind)} + " " + std::to_string(notice.place.line) + ":" +
           std::to_string(notice.place.column) + " " + notice.message + "\n";
  }
  return all;
}

BOOST_AUTO_TEST_SUITE(cypher_names)

BOOST_AUTO_TEST_CASE(a_name_that_the_schema_lacks_is_noticed_at_its_place) {
  BOOST_TEST(noticed("MATCH (r:Respons) RETURN r") ==
             "unknown_label 1:7 no node can have the label `Respons`; did you mean `Response`?\n");
  BOOST_TEST(noticed("MATCH (u)-[:USEDIN]->(r)\nWHERE r.modle = 'x' RETURN u.colour") ==
             "unknown_relation_type 1:10 no relation can have the type `USEDIN`; did you mean `USED_IN`?\n"
             "unknown_property 2:8 no node or relation can have the property `modle`; did you mean `model`?\n"
             "unknown_property 2:29 no node or relation can have the property `colour`\n");
  BOOST_TEST(noticed("MATCH (r {modl: 1}) WHERE r:Resp RETURN EXISTS { (r)-[{wait: 1}]->(:Contextunit) }") ==
             "unknown_property 1:10 no node or relation can have the property `modl`; did you mean `model`?\n"
             "unknown_label 1:28 no node can have the label `Resp`; did you mean `Response`?\n"
             "unknown_label 1:67 no node can have the label `Contextunit`; did you mean `ContextUnit`?\n"
             "unknown_property 1:55 no node or relation can have the property `wait`\n");
}

BOOST_AUTO_TEST_CASE(each_name_is_noticed_once) {
  BOOST_TEST(noticed("MATCH (r) WHERE r.modle = 1 OR r.modle = 2 RETURN r.modle").find('\n') ==
             noticed("MATCH (r) RETURN r.modle").size() - 1);
  std::string many = "MATCH (r) RETURN 1";
  for (int i = 0; i < 100; ++i) many += ", r.unknown_" + std::to_string(i);
  auto const all = noticed(many);
  BOOST_TEST(static_cast<std::size_t>(std::ranges::count(all, '\n')) == notices_max);
}

BOOST_AUTO_TEST_CASE(known_names_and_names_in_maps_are_not) {
  for (std::string_view const text :
       {"MATCH (n:Node)-[r:USED_IN|INFLUENCES {weight: 1}]-(m {id: 'a'}) RETURN n.model",
        "MATCH (n) RETURN n.id.colour, properties(n).colour, {colour: 1}.colour, $p.colour",
        "UNWIND [{colour: 1}] AS each RETURN each.colour", "RETURN date().year"}) {
    BOOST_TEST(noticed(text) == "", text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
