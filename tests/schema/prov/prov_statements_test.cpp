// Claim: what is read from a PROV-JSON document of others can be written back as it came, and reads the same again.
// Method: documents with every trap of the format are read, put together again from the statements of their records,
// and compared as JSON values; names of relations that begin "_:" may differ.
#include "schema/prov/statements.hpp"
#include "tests/schema/prov/prov_documents.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

struct Sample {
  std::string name;
  std::string text;
};
std::ostream& operator<<(std::ostream& out, Sample const& each) {
  return out << each.name;
}

std::vector<Sample> const samples = {
    {"empty", "{}"},
    {"one_entity", R"({"prefix":{"ex":"http://e/"},"entity":{"ex:a":{}}})"},
    {"no_prefix_known", R"({"entity":{"a":{},"x:b":{"p:q":"r"}},"wasDerivedFrom":{"_:1":)"
                        R"({"prov:generatedEntity":"a","prov:usedEntity":"x:b"}}})"},
    {"default_namespace", R"({"prefix":{"default":"http://d/"},"entity":{"a":{"b":"c"}},"used":{"_:1":)"
                          R"({"prov:activity":"x","prov:entity":"a"}}})"},
    {"values",
     R"({"prefix":{"ex":"http://e/","xsd":"http://www.w3.org/2001/XMLSchema#"},"entity":{"ex:a":{)"
     R"("ex:int":1,"ex:double":1.0,"ex:small":1e-7,"ex:minus":-0.0,"ex:big":18446744073709551615,"ex:yes":true,)"
     R"("ex:text":"\u0000\"\u00e9\ud83d\ude00","ex:typed":{"$":"2011-11-16T16:05:00","type":"xsd:dateTime"},)"
     R"("ex:lang":{"$":"bonjour","lang":"fr"},"ex:name":{"$":"ex:b","type":"prov:QUALIFIED_NAME"},)"
     R"("ex:old":{"$":"ex:b","type":"xsd:QName"},"ex:number":{"$":10,"type":"xsd:int"},)"
     R"("ex:many":["a",1,1.0,{"$":"x","lang":"en"},false],"ex:none":[]}}})"},
    {"arrays", R"({"prefix":{"ex":"http://e/"},"entity":{"ex:a":[{"ex:v":1},{"ex:v":2}],"ex:single":[{}]},)"
               R"("used":{"ex:u":[{"prov:activity":"ex:r","prov:entity":"ex:a"},)"
               R"({"prov:activity":"ex:s","prov:entity":"ex:a"}],"_:x":[{"prov:activity":"ex:r"}]}})"},
    {"members", R"({"prefix":{"ex":"http://e/"},"hadMember":{"_:1":{"prov:collection":"ex:c","prov:entity":)"
                R"(["ex:a","ex:b"]},"_:2":{"prov:collection":"ex:c","prov:entity":["ex:d"]}}})"},
    {"arguments", R"({"prefix":{"ex":"http://e/","g":"http://g/"},"wasDerivedFrom":{"ex:d":{"prov:generatedEntity":)"
                  R"("ex:b","prov:usedEntity":"ex:a","prov:activity":"ex:act","prov:generation":"g:1","prov:usage":)"
                  R"("_:u"}},"wasGeneratedBy":{"g:1":{"prov:entity":"ex:b","prov:time":"2012-01-01T00:00:00"}},)"
                  R"("wasStartedBy":{"_:s":{"prov:activity":"ex:act","prov:starter":"ex:other"}}})"},
    {"no_subjects", R"({"used":{"_:1":{"prov:entity":"a"}},"hadMember":{"m":{"prov:entity":["a","b"]}}})"},
    {"items_of_several_things", R"({"entity":{"b":{},"a":{}},"used":{"u":[{"prov:activity":"a","n":0},)"
                                R"({"prov:activity":"b","n":1},{"prov:activity":"a","n":2}]}})"},
    {"bundles",
     R"({"prefix":{"ex":"http://e/","b":"http://b/"},"entity":{"ex:a":{},"b:1":{"prov:type":)"
     R"({"$":"prov:Bundle","type":"xsd:QName"}}},"bundle":{"b:1":{"prefix":{"ex":"http://other/"},"entity":)"
     R"({"ex:a":{"ex:v":1}},"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"ex:a","prov:usedEntity":"ex:c"}}},)"
     R"("b:2":{"entity":{"ex:a":{"ex:v":2}},"agent":{"ex:a":{}}}},"mentionOf":{"_:m":{"prov:specificEntity":)"
     R"("ex:m","prov:generalEntity":"ex:a","prov:bundle":"b:2"}}})"},
    {"bundle_in_default_namespace", R"({"prefix":{"default":"http://d/"},"bundle":{"b":{"prefix":{"default":)"
                                    R"("http://o/"},"entity":{"a":{}}}}})"},
};

BOOST_DATA_TEST_CASE(writes_documents_back_as_they_came, data::make(samples), each) {
  auto const given = json::parse(each.text).value().value;
  auto const import = json::read_prov_json(each.text);
  BOOST_TEST_REQUIRE(verdict_of(import) == "");
  auto const back = written_back(records_of(*import));
  BOOST_TEST(comparable(back) == comparable(given.get_object()));
  auto const again = json::read_prov_json(json::to_sorted_text(bj::value(back)));
  BOOST_TEST_REQUIRE(verdict_of(again) == "");
  auto const last = written_back(records_of(*again));
  BOOST_TEST(comparable(last) == comparable(back));
  BOOST_TEST((again->counts == import->counts));
}

// Stored records give the same statements as the document.
BOOST_DATA_TEST_CASE(writes_stored_records_back_alike, data::make(samples), each) {
  auto const import = json::read_prov_json(each.text);
  auto records = records_of(*import);
  auto const before = comparable(written_back(records));
  for (Record& record : records) record = stored_and_read(record);
  BOOST_TEST(comparable(written_back(records)) == before);
}

BOOST_AUTO_TEST_CASE(leaves_blank_names_to_the_writer) {
  ProvActivity activity;
  activity.qname = "ex:r";
  activity.attributes = ProvAttributes{"{}"};
  activity.relations = {{.relation = "used", .id = "_:x", .place = 3, .attributes = {"{}"}},
                        {.relation = "used", .id = "ex:u", .place = 1, .attributes = {"{}"}}};
  std::string seen;
  json::for_each_prov_statement(activity, [&](json::ProvStatement const& each) {
    seen += std::string(each.section) + " '" + std::string(each.key) + "' " +
            (each.place ? std::to_string(*each.place) : "-") + "; ";
  });
  BOOST_TEST(seen == "activity 'ex:r' -; used '' -; used 'ex:u' 1; ");
}

BOOST_AUTO_TEST_CASE(says_what_the_prefix_of_a_bundle_means_outside_of_it) {
  ProvNode node{.bundle = "ex:b/1", .bundle_iri = "http://e/b/1"};
  BOOST_TEST((json::prov_bundle_prefix(node) == std::pair{std::string("ex"), std::string("http://e/")}));
  node.bundle = "b/1";
  BOOST_TEST((json::prov_bundle_prefix(node) == std::pair{std::string("default"), std::string("http://e/")}));
  node.bundle_iri = node.bundle;
  BOOST_TEST(!json::prov_bundle_prefix(node).has_value());
  BOOST_TEST(!json::prov_bundle_prefix({}).has_value());
}

}  // namespace
}  // namespace whence::schema::test
