// What two documents say of one thing: sets of values and relations, in whichever order they come.
#include "schema/prov/join.hpp"

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

ProvNode node(std::string attributes) {
  return {.id = "a", .qname = "a", .attributes = ProvAttributes{std::move(attributes)}};
}

struct Said {
  std::string name;
  std::string one;
  std::string other;
  std::string both;
  std::size_t contradictions = 0;
};
std::ostream& operator<<(std::ostream& out, Said const& each) {
  return out << each.name;
}

std::vector<Said> const said = {
    {"another_attribute", R"({"p":1})", R"({"q":2})", R"({"p":1,"q":2})"},
    {"another_value", R"({"p":1})", R"({"p":2})", R"({"p":[1,2]})"},
    {"values_in_another_order", R"({"p":["a","b"]})", R"({"p":["b","a"]})", R"({"p":["a","b"]})"},
    {"a_typed_value", R"({"p":5})", R"({"p":{"$":"5","type":"xsd:int"}})", R"({"p":5})"},
    {"a_long_value", R"({"p":5})", R"({"p":{"$":"5","type":"xsd:long"}})", R"({"p":{"$":"5","type":"xsd:long"}})"},
    {"a_double_is_no_whole_number", R"({"p":1})", R"({"p":1.0})", R"({"p":[1.0,1]})"},
    {"a_typed_double", R"({"p":1.0})", R"({"p":{"$":"1.0","type":"xsd:double"}})", R"({"p":1.0})"},
    {"a_text_and_its_language", R"({"p":"x"})", R"({"p":{"$":"x","lang":"fr"}})",
     R"({"p":[{"$":"x","lang":"fr"},"x"]})"},
    {"a_language_in_either_case", R"({"p":{"$":"x","lang":"fr-CA"}})", R"({"p":{"$":"x","lang":"FR-ca"}})",
     R"({"p":{"$":"x","lang":"FR-ca"}})"},
    {"a_time_in_two_zones", R"({"prov:startTime":"2012-01-01T01:00:00+01:00"})",
     R"({"prov:startTime":"2012-01-01T00:00:00Z"})", R"({"prov:startTime":"2012-01-01T00:00:00Z"})"},
    {"a_time_in_two_zones_beside_another",
     R"({"prov:endTime":"2012-01-03T00:00:00Z","prov:startTime":"2012-01-02T02:00:00+02:00"})",
     R"([{"prov:startTime":"2012-01-02T00:00:00Z"},{"prov:startTime":"2012-01-01T00:00:00Z"}])",
     R"([{"prov:endTime":"2012-01-03T00:00:00Z","prov:startTime":"2012-01-02T00:00:00Z"},)"
     R"({"prov:startTime":"2012-01-01T00:00:00Z"}])",
     1},
    {"one_time", R"({"prov:startTime":"2012-01-01T00:00:00Z"})", R"({"prov:endTime":"2012-01-02T00:00:00Z"})",
     R"({"prov:endTime":"2012-01-02T00:00:00Z","prov:startTime":"2012-01-01T00:00:00Z"})"},
    {"two_times", R"({"p":1,"prov:startTime":"2012-01-01T00:00:00Z"})",
     R"({"prov:endTime":"2012-01-03T00:00:00Z","prov:startTime":"2012-01-02T00:00:00Z","q":2})",
     R"([{"prov:endTime":"2012-01-03T00:00:00Z","prov:startTime":"2012-01-02T00:00:00Z","q":2},)"
     R"({"p":1,"prov:startTime":"2012-01-01T00:00:00Z"}])",
     1},
    {"two_times_and_a_text_of_both", R"({"p":1,"q":2,"prov:startTime":"2012-01-01T00:00:00Z"})",
     R"({"p":1,"prov:startTime":"2012-01-02T00:00:00Z","r":3})",
     R"([{"p":1,"prov:startTime":"2012-01-01T00:00:00Z","q":2},)"
     R"({"p":1,"prov:startTime":"2012-01-02T00:00:00Z","r":3}])",
     1},
    {"no_time_beside_two",
     R"([{"p":1,"prov:startTime":"2012-01-01T00:00:00Z"},{"prov:startTime":"2012-01-02T00:00:00Z","r":3}])",
     R"({"q":2})",
     R"([{"p":1,"prov:startTime":"2012-01-01T00:00:00Z","q":2},{"prov:startTime":"2012-01-02T00:00:00Z","r":3}])", 1},
};
BOOST_DATA_TEST_CASE(joins_attributes_in_both_orders, data::make(said), each) {
  for (auto const& [first, second] : {std::pair{each.one, each.other}, std::pair{each.other, each.one}}) {
    auto const joined = json::join_prov(node(first), node(second));
    BOOST_TEST(joined.node.attributes->json == each.both);
    BOOST_TEST(joined.contradictions.size() == each.contradictions);
    auto const again = json::join_prov(joined.node, node(first));
    BOOST_TEST((again.node == joined.node));
    BOOST_TEST(again.contradictions.empty());
  }
}

ProvRelation used(std::string id, std::string const& more) {
  return {.relation = "used",
          .id = std::move(id),
          .other = "ProvEntity:e",
          .attributes = {R"({"prov:activity":"a","prov:entity":"e")" + more + "}"}};
}

std::string relations_of(ProvNode const& node) {
  std::string all;
  for (auto const& each : *node.relations) all += each.id.value() + each.attributes.json.substr(39) + " ";
  return all;
}

struct Related {
  std::string name;
  ProvRelation one;
  ProvRelation other;
  std::size_t count;
  std::size_t contradictions = 0;
};
std::ostream& operator<<(std::ostream& out, Related const& each) {
  return out << each.name;
}

std::vector<Related> const related = {
    {"the_same_without_a_name", used("_:1", R"(,"n":5)"), used("_:7", R"(,"n":{"$":"5","type":"xsd:int"})"), 1},
    {"another_without_a_name", used("_:1", R"(,"n":5)"), used("_:1", R"(,"n":6)"), 2},
    {"a_name_and_none", used("_:1", ""), used("u", ""), 2},
    {"more_of_a_name", used("u", R"(,"n":5)"), used("u", R"(,"m":6)"), 1},
    {"an_argument_more", used("u", ""), used("u", R"(,"prov:time":"2012-01-01T00:00:00Z")"), 1},
    {"a_time_and_an_attribute", used("u", R"(,"m":6)"), used("u", R"(,"n":5,"prov:time":"2012-01-01T00:00:00Z")"), 1},
    {"a_time_and_no_name", used("_:1", ""), used("_:1", R"(,"prov:time":"2012-01-01T00:00:00Z")"), 2},
    {"another_time", used("u", R"(,"prov:time":"2013-01-01T00:00:00Z")"),
     used("u", R"(,"prov:time":"2012-01-01T00:00:00Z")"), 2, 1},
};
BOOST_DATA_TEST_CASE(joins_relations_in_both_orders, data::make(related), each) {
  std::set<std::multiset<std::string>> all;
  for (auto const& [first, second] : {std::pair{each.one, each.other}, std::pair{each.other, each.one}}) {
    auto known = node("{}");
    auto given = node("{}");
    known.relations = {first};
    given.relations = {second};
    auto const joined = json::join_prov(known, given);
    BOOST_TEST_CONTEXT(relations_of(joined.node)) {
      BOOST_TEST(joined.node.relations->size() == each.count);
      BOOST_TEST(joined.contradictions.size() == each.contradictions);
      BOOST_TEST((json::join_prov(joined.node, given).node == joined.node));
    }
    std::multiset<std::string> relations;
    for (auto const& relation : *joined.node.relations) relations.insert(*relation.id + relation.attributes.json);
    all.insert(std::move(relations));
  }
  BOOST_TEST(all.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_further_cause_goes_before_no_edge_that_is_stored) {
  auto const derived = [](std::string other, std::vector<std::string> more) {
    ProvRelation relation{.relation = "wasDerivedFrom", .other = std::move(other), .attributes = {"{}"}};
    if (!more.empty()) relation.further = std::move(more);
    return relation;
  };
  auto known = node("{}");
  known.relations = {derived("ProvEntity:one", {}), derived("ProvEntity:two", {"ProvActivity:b"}),
                     derived("ProvEntity:three", {})};
  auto given = node("{}");
  given.relations = {derived("ProvEntity:one", {"ProvActivity:b", "ProvActivity:c"}),
                     derived("ProvEntity:three", {"ProvActivity:b"})};
  auto const joined = json::join_prov(known, given).node.relations.value();
  using Further = std::optional<std::vector<std::string>>;
  BOOST_TEST(joined.size() == 3U);
  BOOST_TEST((joined[0].further == Further{{"ProvActivity:c"}}));
  BOOST_TEST((joined[1].further == Further{{"ProvActivity:b"}}));
  BOOST_TEST((joined[2].further == Further{{"ProvActivity:b"}}));
}

BOOST_AUTO_TEST_CASE(renames_a_prefix_that_means_another_iri) {
  auto known = node(R"({"ex:p":1})");
  known.prefixes = PrefixMap{{{"ex", "http://a/"}}};
  auto given = node(R"({"ex:p":1,"other:p":2})");
  given.prefixes = PrefixMap{{{"ex", "http://b/"}, {"other", "http://a/"}}};
  for (auto const& [first, second] : {std::pair{known, given}, std::pair{given, known}}) {
    auto const joined = json::join_prov(first, second).node;
    BOOST_TEST(joined.attributes->json == R"({"ex:p":[1,2],"ex_2:p":1})");
    BOOST_TEST((joined.prefixes->entries ==
                std::vector<std::pair<std::string, std::string>>{{"ex", "http://a/"}, {"ex_2", "http://b/"}}));
  }
}

BOOST_AUTO_TEST_CASE(takes_a_declaration_in_place_of_a_mention) {
  ProvNode mention{.id = "a", .qname = "a", .is_declared = false};
  auto const joined = json::join_prov(mention, node(R"({"p":1})")).node;
  BOOST_TEST((joined == node(R"({"p":1})")));
}

BOOST_AUTO_TEST_CASE(keeps_relations_that_a_program_no_longer_names) {
  auto known = node("{}");
  known.relations = {used("_:1", R"(,"n":1)"),
                     {.relation = "used", .other = "ProvEntity:gone", .attributes = {"{}"}},
                     {.relation = "used", .other = "ProvEntity:there", .attributes = {"{}"}}};
  auto given = node(R"({"p":1})");
  given.relations = {{.relation = "used", .other = "ProvEntity:new", .attributes = {"{}"}}, used("_:1", R"(,"n":2)")};
  auto const grown = json::grown_prov(known, given, [](std::string const& ref) { return ref == "ProvEntity:there"; });
  std::string refs;
  for (auto const& each : *grown.relations) refs += each.other.value() + " ";
  BOOST_TEST(refs == "ProvEntity:new ProvEntity:e ProvEntity:there ");
  BOOST_TEST(grown.relations->at(1).attributes.json == used("", R"(,"n":2)").attributes.json);
}

}  // namespace
}  // namespace whence::schema::test
