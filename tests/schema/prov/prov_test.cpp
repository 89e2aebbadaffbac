// Records from PROV documents: their rules at the bounds, their edges, their wire form, names as ids.
#include "schema/base/limits.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/stored/codec.hpp"
#include "schema/wire/codec.hpp"
#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

constexpr std::string_view entity_json =
    R"({"$type$":"ProvEntity","id":"http://e/a","qname":"ex:a","attributes":{"ex:v":1.0},"bundle":"ex:b",)"
    R"("bundle_iri":"http://e/b","prefixes":{"ex":"http://e/"},"relations":[{"relation":"wasDerivedFrom","id":"ex:d",)"
    R"("place":0,"other":"ProvEntity:http://e/x","attributes":{"prov:usedEntity":"ex:x"}}]})";

std::vector<Case> const cases = {
    {"good", entity_json, "", "", ""},
    {"id_empty", entity_json, "/id", "\"\"", "id /id"},
    {"id_longest", entity_json, "/id", quoted(255), ""},
    {"id_too_long", entity_json, "/id", quoted(256), "id /id"},
    {"qname_missing", entity_json, "-/qname", "", "required /qname"},
    {"qname_empty", entity_json, "/qname", "\"\"", "length /qname"},
    {"qname_longest", entity_json, "/qname", quoted(limits::prov_name_max), ""},
    {"qname_too_long", entity_json, "/qname", quoted(limits::prov_name_max + 1), "length /qname"},
    {"no_attributes", entity_json, "-/attributes", "", "required /attributes"},
    {"attributes_list", entity_json, "/attributes", R"([{},{"a":[1,{"$":"x","lang":"en"}]}])", ""},
    {"attributes_empty_list", entity_json, "/attributes", "[]", "items /attributes"},
    {"attributes_text", entity_json, "/attributes", "\"x\"", "type /attributes"},
    {"attributes_list_of_texts", entity_json, "/attributes", "[\"x\"]", "type /attributes/0"},
    {"attributes_null_value", entity_json, "/attributes", R"({"a":null})", "prov_value /attributes/a"},
    {"attributes_nested", entity_json, "/attributes", R"({"a":{"b":1}})", "prov_value /attributes/a"},
    {"only_mentioned_with_attributes", entity_json, "/is_declared", "false", "declared /attributes"},
    {"declared", entity_json, "/is_declared", "true", ""},
    {"bundle_alone", entity_json, "-/bundle_iri", "", "bundle /bundle_iri"},
    {"bundle_iri_alone", entity_json, "-/bundle", "", "bundle /bundle_iri"},
    {"prefixes_list", entity_json, "/prefixes", "[]", "type /prefixes"},
    {"prefix_number", entity_json, "/prefixes", R"({"ex":1})", "type /prefixes/ex"},
    {"relation_unknown", entity_json, "/relations/0/relation", "\"ate\"", "relation /relations/0/relation"},
    {"relation_missing", entity_json, "-/relations/0/relation", "", "required /relations/0/relation"},
    {"other_no_ref", entity_json, "/relations/0/other", "\"http://e/x\"", "ref /relations/0/other"},
    {"other_no_node", entity_json, "/relations/0/other", "\"Citation:x\"", "ref /relations/0/other"},
    {"other_ours", entity_json, "/relations/0/other", "\"ContextUnit:cu_1\"", ""},
    {"other_absent", entity_json, "-/relations/0/other", "", ""},
    {"others_beside_other", entity_json, "/relations/0/others", "[]", "other_twice /relations/0/others"},
    {"place_below", entity_json, "/relations/0/place", "-1", "range /relations/0/place"},
    {"place_without_id", entity_json, "-/relations/0/id", "", "place /relations/0/place"},
    {"relation_attributes_list", entity_json, "/relations/0/attributes", "[{}]", "type /relations/0/attributes"},
    {"relation_attributes_missing", entity_json, "-/relations/0/attributes", "", "required /relations/0/attributes"},
    {"unknown_member", entity_json, "/foo", "1", "unknown_field /foo"},
};
BOOST_DATA_TEST_CASE(holds_its_rules, data::make(cases), each) {
  BOOST_TEST(verdict(each.path.empty() ? std::string(each.base) : changed(each.base, each.path, each.value)) ==
             each.verdict);
}

BOOST_AUTO_TEST_CASE(bounds_attributes_by_their_own_limit) {
  auto const of_size = [](std::size_t bytes) { return "{\"a\":" + quoted(bytes - 8) + "}"; };
  BOOST_TEST(verdict(changed(entity_json, "/attributes", of_size(limits::prov_attributes_bytes_max))) == "");
  BOOST_TEST(verdict(changed(entity_json, "/attributes", of_size(limits::prov_attributes_bytes_max + 1))) ==
             "size /attributes");
}

BOOST_AUTO_TEST_CASE(members_without_content_are_left_out) {
  auto const record = validate(R"({"$type$":"ProvAgent","id":"a","qname":"a","attributes":{},"is_declared":true,)"
                               R"("prefixes":{},"relations":[]})");
  BOOST_TEST_REQUIRE(record.violations.empty());
  BOOST_TEST(json::to_text(record.record) == R"({"$type$":"ProvAgent","id":"a","qname":"a","attributes":{}})");
}

BOOST_AUTO_TEST_CASE(keeps_kinds_of_numbers_and_no_order_of_members) {
  auto const of = [](std::string const& attributes) {
    return validate(R"({"$type$":"ProvEntity","id":"a","qname":"a","attributes":)" + attributes + "}").record;
  };
  BOOST_TEST((of(R"({"a":1,"b":2.0})") == of(R"({"b":2.0,"a":1})")));
  BOOST_TEST((of(R"({"a":1})") != of(R"({"a":1.0})")));
  BOOST_TEST((of(R"({"a":[1,2]})") != of(R"({"a":[2,1]})")));
  BOOST_TEST(std::get<ProvEntity>(of(R"({"z":1.50,"a":1e3,"m":100})")).attributes->json ==
             R"({"a":1000.0,"m":100,"z":1.5})");
}

BOOST_AUTO_TEST_CASE(reads_back_what_is_stored) {
  Record const record = validate(entity_json).record;
  BOOST_TEST((stored_and_read(record) == record));
  BOOST_TEST(json::to_text(record) == entity_json);
}

BOOST_AUTO_TEST_CASE(three_kinds_of_one_content_differ) {
  ProvNode const node{.id = "a", .qname = "a", .attributes = ProvAttributes{"{}"}};
  BOOST_TEST((stored_and_read(ProvActivity{node}) == Record{ProvActivity{node}}));
  BOOST_TEST((stored_and_read(ProvAgent{node}) == Record{ProvAgent{node}}));
  BOOST_TEST((stored::fingerprint(ProvAgent{node}) != stored::fingerprint(ProvEntity{node})));
}

BOOST_AUTO_TEST_CASE(draws_an_edge_for_each_object_of_a_relation) {
  auto const record = validate(changed(entity_json, "/relations", R"([
      {"relation":"hadMember","others":["ProvEntity:x","ContextUnit:cu_1"],"attributes":{}},
      {"relation":"wasGeneratedBy","attributes":{}},
      {"relation":"used","other":"ProvAgent:y","attributes":{}}])"))
                          .record;
  auto const links = links_of(record);
  BOOST_TEST_REQUIRE(links.size() == 3U);
  BOOST_TEST((links[0].type == EdgeType::prov_had_member));
  BOOST_TEST(links[0].other_id() == "x");
  BOOST_TEST(links[0].is_enforced);
  BOOST_TEST(links[0].value.value() == 0);
  BOOST_TEST((links[1].other_type == RecordType::context_unit));
  BOOST_TEST(!links[1].is_enforced);
  BOOST_TEST((links[2].type == EdgeType::prov_used));
  BOOST_TEST(links[2].value.value() == 0);  // of its own type, wherever it stands
  BOOST_TEST(links[2].place.pointer() == "/relations/2/other");
  for (Link const& link : links) BOOST_TEST(link.owner_is_from);
}

BOOST_AUTO_TEST_CASE(makes_ids_of_iris) {
  BOOST_TEST(prov_id("http://e/a") == "http://e/a");
  BOOST_TEST(prov_id("http://e/a", "http://e/b") == "http://e/a#bundle=http://e/b");
  BOOST_TEST(prov_id(std::string(255, 'x')) == std::string(255, 'x'));
  BOOST_TEST(prov_id(std::string(256, 'x')) == "sha256-" + to_hex(sha256(std::string(256, 'x'))));
  BOOST_TEST(prov_id("a\x7f").starts_with("sha256-"));
}

BOOST_AUTO_TEST_CASE(reads_our_own_names) {
  BOOST_TEST(ref_of_iri("urn:whence:ContextUnit:cu_a").value() == "ContextUnit:cu_a");
  BOOST_TEST(ref_of_iri("urn:whence:Document:a%3Db%27c%3Ad%2E").value() == "Document:a=b'c:d.");
  BOOST_TEST(ref_of_iri("urn:whence:Subject:t/%C3%A9").value() == "Subject:t/\u00e9");
  for (char const* other : {"urn:whence:ContextUnit", "urn:whence:ContextUnit:", "urn:whence:Citation:a",
                            "urn:whence:ProvEntity:a", "urn:whence:generation:a", "http://e/a", "urn:whence:Topic:%",
                            "urn:whence:Topic:%4", "urn:whence:Topic:%XY", "urn:whence:Topic:%FF"}) {
    BOOST_TEST(!ref_of_iri(other).has_value(), other);
  }
}

BOOST_AUTO_TEST_CASE(finds_every_relation_by_its_name) {
  for (ProvRelationInfo const& row : prov_relations()) {
    BOOST_TEST(find_prov_relation(row.name) == &row);
    BOOST_TEST(name_of(row.edge) == "PROV_" + std::string(row.name));
  }
  BOOST_TEST(prov_relations().size() == 15U);
  BOOST_TEST((find_prov_relation("entity") == nullptr));
}

}  // namespace
}  // namespace whence::schema::test
