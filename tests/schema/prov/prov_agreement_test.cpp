// A record that a client makes says one thing: names, refs and arguments agree, or it is refused with the place.
#include "schema/prov/agreement.hpp"
#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

constexpr std::string_view entity =
    R"({"$type$":"ProvEntity","id":"http://e/a#bundle=http://e/b","qname":"ex:a","attributes":{},"bundle":"ex:b",)"
    R"("bundle_iri":"http://e/b","prefixes":{"ex":"http://e/","w":"urn:whence:ContextUnit:"},"relations":[)"
    R"({"relation":"wasDerivedFrom","other":"ProvEntity:http://e/x#bundle=http://e/b","attributes":)"
    R"({"prov:generatedEntity":"ex:a","prov:usedEntity":"ex:x"}},)"
    R"({"relation":"hadMember","others":["ContextUnit:cu_1","ProvAgent:http://e/y#bundle=http://e/b"],"attributes":)"
    R"({"prov:collection":"ex:a","prov:entity":["w:cu_1","ex:y"]}},)"
    R"({"relation":"wasAssociatedWith","other":"ProvAgent:http://e/g#bundle=http://e/b",)"
    R"("further":["ProvEntity:http://e/p#bundle=http://e/b"],"attributes":)"
    R"({"prov:activity":"ex:a","prov:agent":"ex:g","prov:plan":{"$":"ex:p","type":"prov:QUALIFIED_NAME"}}},)"
    R"({"relation":"mentionOf","other":"ProvEntity:http://e/m#bundle=http://e/c","attributes":)"
    R"({"prov:specificEntity":"ex:a","prov:generalEntity":"ex:m","prov:bundle":"ex:c"}},)"
    R"({"relation":"wasGeneratedBy","attributes":{"prov:activity":"ex:a"}},)"
    R"({"relation":"wasGeneratedBy","attributes":{"prov:entity":"ex:a","prov:time":"2012-01-01T00:00:00Z"}}]})";

std::string agreement(std::string_view text) {
  auto incoming = validate(text);
  json::check_agreement(incoming);
  std::string all;
  for (auto const& each : incoming.violations)
    all.append(all.empty() ? "" : "\n").append(each.rule).append(" ").append(each.path);
  return all;
}

std::vector<Case> const cases = {
    {"good", entity, "", "", ""},
    {"another_id", entity, "/id", "\"http://e/a\"",
     "agreement /id\nagreement /relations/0/attributes/prov:generatedEntity\n"},
    {"another_qname", entity, "/qname", "\"ex:z\"", "agreement /id"},
    {"undeclared_prefix", entity, "-/prefixes", "",
     "agreement /id\nagreement /relations/0/attributes/prov:generatedEntity\nagreement /relations/0/other\n"},
    {"bundle_of_another_name", entity, "/bundle", "\"ex:other\"", "agreement /bundle_iri"},
    {"subject", entity, "/relations/0/attributes/prov:generatedEntity", "\"ex:z\"",
     "agreement /relations/0/attributes/prov:generatedEntity"},
    {"subject_of_another_prefix", entity, "/relations/0/attributes/prov:generatedEntity", "\"a\"",
     "agreement /relations/0/attributes/prov:generatedEntity"},
    {"subject_left_out", entity, "-/relations/0/attributes/prov:generatedEntity", "", ""},
    {"subject_is_no_name", entity, "/relations/0/attributes/prov:generatedEntity", "5",
     "agreement /relations/0/attributes/prov:generatedEntity"},
    {"other", entity, "/relations/0/other", "\"ProvEntity:http://e/z#bundle=http://e/b\"",
     "agreement /relations/0/other"},
    {"other_outside_of_the_bundle", entity, "/relations/0/other", "\"ProvEntity:http://e/x\"",
     "agreement /relations/0/other"},
    {"other_of_another_kind", entity, "/relations/0/other", "\"ProvActivity:http://e/x#bundle=http://e/b\"", ""},
    {"other_missing", entity, "-/relations/0/other", "", "agreement /relations/0/other"},
    {"argument_left_out", entity, "-/relations/0/attributes/prov:usedEntity", "", ""},
    {"arguments_left_out", entity, "/relations/0/attributes", "{}", ""},
    {"no_name_for_an_argument", entity, "/relations/0",
     R"({"relation":"used","other":"ProvEntity:sha256-00","attributes":{}})", "agreement /relations/0/other"},
    {"ours", entity, "/relations/1/others/0", "\"ContextUnit:cu_2\"", "agreement /relations/1/others"},
    {"ours_of_another_type", entity, "/relations/1/others/0", "\"Response:cu_1\"", "agreement /relations/1/others"},
    {"ours_under_a_name_of_others", entity, "/relations/1/others/1", "\"ContextUnit:cu_1\"", ""},
    {"one_ref_less", entity, "-/relations/1/others/1", "", "agreement /relations/1/others"},
    {"list_left_out", entity, "-/relations/1/attributes/prov:entity", "", ""},
    {"plan", entity, "/relations/2/further/0", "\"ProvEntity:http://e/q#bundle=http://e/b\"",
     "agreement /relations/2/further"},
    {"plan_without_ref", entity, "-/relations/2/further", "", "agreement /relations/2/further"},
    {"plan_left_out", entity, "-/relations/2/attributes/prov:plan", "", ""},
    {"two_plans", entity, "/relations/2",
     R"({"relation":"wasAssociatedWith","further":["ProvEntity:p","ProvEntity:q"],"attributes":{}})",
     "agreement /relations/2/further"},
    {"further_of_none", entity, "/relations/0/relation", "\"alternateOf\"", ""},
    {"further_where_none_is", entity, "/relations/2",
     R"({"relation":"used","further":["ProvEntity:p"],"attributes":{}})", "agreement /relations/2/further"},
    {"described_elsewhere", entity, "/relations/3/attributes/prov:bundle", "\"ex:d\"", "agreement /relations/3/other"},
    {"kept_by_its_object", entity, "/relations/4/attributes/prov:activity", "\"ex:z\"", "agreement /relations/4/other"},
};
BOOST_DATA_TEST_CASE(finds_what_does_not_agree, data::make(cases), each) {
  auto const found = agreement(each.path.empty() ? std::string(each.base) : changed(each.base, each.path, each.value));
  if (each.verdict.ends_with('\n')) {
    BOOST_TEST(found.starts_with(each.verdict));
  } else {
    BOOST_TEST(found == each.verdict);
  }
}

BOOST_AUTO_TEST_CASE(other_records_and_faulty_ones_stay_as_they_are) {
  BOOST_TEST(agreement(R"({"$type$":"Topic","id":"t"})") == "");
  BOOST_TEST(agreement(R"({"$type$":"ProvEntity","id":"a","qname":"b"})") == "required /attributes");
}

}  // namespace
}  // namespace whence::schema::test
