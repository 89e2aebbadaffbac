// Reading PROV-JSON: which records a document comes to, which name means which, what our own export becomes, and what
// is refused where.
#include "schema/base/limits.hpp"
#include "schema/prov/document.hpp"
#include "tests/schema/prov/prov_documents.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

json::ProvImport read(std::string_view text) {
  auto import = json::read_prov_json(text);
  BOOST_TEST_REQUIRE(verdict_of(import) == "");
  return *std::move(import);
}

/// A document of names in http://e/ and what `body` says.
std::string with_prefix(std::string_view body) {
  return R"({"prefix":{"ex":"http://e/"},)" + std::string(body) + "}";
}

BOOST_AUTO_TEST_CASE(makes_records_of_what_is_declared_and_then_of_what_is_mentioned) {
  auto const import = read(with_prefix(
      R"("wasAttributedTo":{"_:1":{"prov:entity":"ex:a","prov:agent":"ex:who","ex:note":1.0}},)"
      R"("activity":{"ex:r":{"prov:startTime":"2012-01-01T00:00:00Z"}},"entity":{"ex:a":{"prov:label":"A"}},)"
      R"("used":{"ex:u":{"prov:activity":"ex:r","prov:entity":"ex:b"}})"));
  std::vector<std::string> const expected = {
      R"({"$type$":"ProvActivity","id":"http://e/r","qname":"ex:r","attributes":{"prov:startTime":"2012-01-01T00:00:00Z"},)"
      R"("prefixes":{"ex":"http://e/"},"relations":[{"relation":"used","id":"ex:u","other":"ProvEntity:http://e/b",)"
      R"("attributes":{"prov:activity":"ex:r","prov:entity":"ex:b"}}]})",
      R"({"$type$":"ProvEntity","id":"http://e/a","qname":"ex:a","attributes":{"prov:label":"A"},)"
      R"("prefixes":{"ex":"http://e/"},"relations":[{"relation":"wasAttributedTo","id":"_:1","other":)"
      R"("ProvAgent:http://e/who","attributes":{"ex:note":1.0,"prov:agent":"ex:who","prov:entity":"ex:a"}}]})",
      R"({"$type$":"ProvAgent","id":"http://e/who","qname":"ex:who","prefixes":{"ex":"http://e/"},"is_declared":false})",
      R"({"$type$":"ProvEntity","id":"http://e/b","qname":"ex:b","prefixes":{"ex":"http://e/"},"is_declared":false})"};
  BOOST_TEST(import.records == expected, boost::test_tools::per_element());
  BOOST_TEST(
      (import.counts == json::ProvCounts{.entities = 2, .activities = 1, .agents = 1, .mentioned = 2, .relations = 2}));
  records_of(import);  // all of them good
}

struct Named {
  std::string name;
  std::string text;
  std::string refs;
};
std::ostream& operator<<(std::ostream& out, Named const& each) {
  return out << each.name;
}

std::string const long_local(300, 'x');

std::vector<Named> const names = {
    {"prefix", R"({"prefix":{"ex":"http://e/"},"entity":{"ex:a:b":{}}})", "ProvEntity:http://e/a:b\n"},
    {"empty_local_part", R"({"prefix":{"ex":"http://e/"},"entity":{"ex:":{}}})", "ProvEntity:http://e/\n"},
    {"unknown_prefix", R"({"entity":{"foo:bar":{}}})", "ProvEntity:foo:bar\n"},
    {"no_prefix", R"({"entity":{"bar":{}}})", "ProvEntity:bar\n"},
    {"default", R"({"prefix":{"default":"http://d/"},"entity":{"bar":{}}})", "ProvEntity:http://d/bar\n"},
    {"whole_iri", R"({"entity":{"http://e/a":{}}})", "ProvEntity:http://e/a\n"},
    {"prov_is_known", R"({"agent":{"prov:Person":{}}})", "ProvAgent:http://www.w3.org/ns/prov#Person\n"},
    {"byte_order_mark", "\xEF\xBB\xBF{\"entity\":{\"a\":{}}}", "ProvEntity:a\n"},
    {"control_character", R"({"entity":{"a\nb":{}}})", "ProvEntity:sha256-" + to_hex(sha256("a\nb")) + "\n"},
    {"longest", "{\"entity\":{\"" + std::string(255, 'x') + "\":{}}}", "ProvEntity:" + std::string(255, 'x') + "\n"},
    {"too_long", "{\"entity\":{\"" + long_local + "\":{}}}", "ProvEntity:sha256-" + to_hex(sha256(long_local)) + "\n"},
    {"two_names_of_one_thing", R"({"prefix":{"a":"http://e/","b":"http://e/"},"entity":{"a:x":{},"b:x":{}}})",
     "ProvEntity:http://e/x\n"},
    {"of_several_kinds", R"({"entity":{"x":{}},"agent":{"x":{}},"activity":{"x":{}}})",
     "ProvEntity:x\nProvAgent:x\nProvActivity:x\n"},
    {"bundles",
     R"({"prefix":{"ex":"http://e/"},"bundle":{"ex:1":{"entity":{"ex:a":{},"ex:b":{}}},)"
     R"("ex:2":{"prefix":{"ex":"http://o/"},"entity":{"ex:a":{},"ex:b":{}}},"ex:3":{"entity":{"ex:b":{}}}},)"
     R"("entity":{"ex:a":{},"ex:1":{}}})",
     "ProvEntity:http://e/a\nProvEntity:http://e/1\nProvEntity:http://e/a#bundle=http://e/1\n"
     "ProvEntity:http://e/b#bundle=http://e/1\nProvEntity:http://o/a#bundle=http://e/2\n"
     "ProvEntity:http://o/b#bundle=http://e/2\nProvEntity:http://e/b#bundle=http://e/3\n"},
    {"mentioned_in_a_bundle",
     R"({"entity":{"a":{}},"bundle":{"b":{"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"c",)"
     R"("prov:usedEntity":"a"}}}}})",
     "ProvEntity:a\nProvEntity:c#bundle=b\nProvEntity:a#bundle=b\n"},
};
BOOST_DATA_TEST_CASE(knows_things_by_their_iris, data::make(names), each) {
  BOOST_TEST(refs_of(read(each.text)) == each.refs);
}

/// The `other` of the first relation of the first record that has one.
std::string first_other(json::ProvImport const& import) {
  for (Record const& record : records_of(import)) {
    auto const* const node = json::prov_node_of(record);
    if (node == nullptr || !node->relations) continue;
    auto const& relation = node->relations->front();
    if (!relation.others) return relation.other.value_or("none");
    std::string all;
    for (std::string const& each : *relation.others) all += each + " ";
    return all;
  }
  return "no relation";
}

std::vector<Named> const arguments = {
    {"mentioned", R"({"used":{"_:1":{"prov:activity":"r","prov:entity":"a"}}})", "ProvEntity:a"},
    {"declared_as_such",
     R"({"agent":{"a":{}},"entity":{"a":{}},"used":{"_:1":{"prov:activity":"r","prov:entity":"a"}}})", "ProvEntity:a"},
    {"declared_otherwise", R"({"agent":{"a":{}},"used":{"_:1":{"prov:activity":"r","prov:entity":"a"}}})",
     "ProvAgent:a"},
    {"any_as_mentioned_elsewhere",
     R"({"wasInfluencedBy":{"_:1":{"prov:influencee":"x","prov:influencer":"who"}},)"
     R"("wasAttributedTo":{"_:2":{"prov:entity":"y","prov:agent":"who"}}})",
     "ProvAgent:who"},
    {"any_unknown", R"({"wasInfluencedBy":{"_:1":{"prov:influencee":"x","prov:influencer":"y"}}})", "ProvEntity:y"},
    {"as_literal", R"({"used":{"_:1":{"prov:activity":"r","prov:entity":{"$":"a","type":"xsd:QName"}}}})",
     "ProvEntity:a"},
    {"one_in_a_list", R"({"used":{"_:1":{"prov:activity":["r"],"prov:entity":["a"]}}})", "ProvEntity:a"},
    {"members", R"({"hadMember":{"_:1":{"prov:collection":"c","prov:entity":["a","b"]}}})",
     "ProvEntity:a ProvEntity:b "},
    {"none", R"({"wasGeneratedBy":{"_:1":{"prov:entity":"a","prov:time":"2012-01-01T00:00:00"}}})", "none"},
    {"described_in_a_bundle",
     R"({"entity":{"a":{}},"bundle":{"b":{"entity":{"a":{}}}},"mentionOf":{"_:1":)"
     R"({"prov:specificEntity":"s","prov:generalEntity":"a","prov:bundle":"b"}}})",
     "ProvEntity:a#bundle=b"},
    {"record_of_ours",
     R"({"prefix":{"T":"urn:whence:Subject:"},"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"x",)"
     R"("prov:usedEntity":"T:t/a%2Bb"}}})",
     "Subject:t/a+b"},
    {"no_record_of_ours",
     R"({"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"x","prov:usedEntity":"urn:whence:Cat:t"}}})",
     "ProvEntity:urn:whence:Cat:t"},
    {"declared_name_of_ours",
     R"({"entity":{"urn:whence:Topic:t":{}},"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"x",)"
     R"("prov:usedEntity":"urn:whence:Topic:t"}}})",
     "ProvEntity:urn:whence:Topic:t"},
};
BOOST_DATA_TEST_CASE(finds_what_relations_lead_to, data::make(arguments), each) {
  BOOST_TEST(first_other(read(each.text)) == each.refs);
}

BOOST_AUTO_TEST_CASE(names_each_relation_of_an_array_by_its_place) {
  auto const records =
      records_of(read(R"({"used":{"ex:u":[{"prov:activity":"r","prov:entity":"a"},{"prov:activity":"r"}]}})"));
  auto const& relations = *json::prov_node_of(records.front())->relations;
  BOOST_TEST_REQUIRE(relations.size() == 2U);
  BOOST_TEST(relations[0].place.value() == 0);
  BOOST_TEST(relations[1].place.value() == 1);
  BOOST_TEST(relations[1].id.value() == "ex:u");
}

BOOST_AUTO_TEST_CASE(keeps_the_prefixes_that_a_record_uses) {
  auto const records = records_of(read(
      R"({"prefix":{"a":"A","b":"B","c":"C","d":"D","e":"E","f":"F","unused":"U","default":"X","xsd":"S"},"entity":{)"
      R"("a:x":{"b:y":{"$":"c:z","type":"prov:QUALIFIED_NAME"},"prov:label":"unused:no","v":{"$":"1","type":"xsd:int"}}},)"
      R"("used":{"d:id":{"prov:activity":"e:r","prov:entity":"f:a","prov:role":"unused:no"}}})"));
  std::vector<std::string> prefixes;
  for (Record const& record : records) {
    std::string all;
    for (auto const& [prefix, iri] : json::prov_node_of(record)->prefixes->entries) all += prefix + "=" + iri + " ";
    prefixes.push_back(all);
  }
  BOOST_TEST(prefixes == (std::vector<std::string>{"a=A b=B c=C default=X xsd=S ", "d=D e=E f=F ", "f=F "}),
             boost::test_tools::per_element());
}

// --- what our own export wrote ---

/// Two units, a response of the first, feedback on it, a topic with a message; all that is written beside them.
constexpr std::string_view exported = R"({
"prefix":{"ContextUnit":"urn:whence:ContextUnit:","Response":"urn:whence:Response:","FeedbackRecord":"urn:whence:FeedbackRecord:",
"Topic":"urn:whence:Topic:","Message":"urn:whence:Message:","agent":"urn:whence:agent:","gen":"urn:whence:generation:",
"user":"urn:whence:user:","w":"urn:whence:ns#"},
"entity":{
"ContextUnit:cu_a":{"prov:type":{"$":"w:ContextUnit","type":"prov:QUALIFIED_NAME"},"prov:label":"cu_a",
"w:tx":{"$":"1","type":"xsd:long"},"w:status":"active",
"w:record":"{\"$type$\":\"ContextUnit\",\"id\":\"cu_a\",\"type\":\"User\",\"source\":\"s\",\"timestamp\":\"2025-10-09T16:15:00Z\",\"version\":1}"},
"Response:resp_1":{"prov:type":["prov:Entity",{"$":"w:Response","type":"xsd:QName"}],
"w:record":"{\"$type$\":\"Response\",\"id\":\"resp_1\",\"timestamp\":\"2025-10-09T16:15:00Z\",\"agent\":\"a\",\"model\":\"m\",\"context_units\":[{\"context_unit_id\":\"cu_a\",\"weight\":1}]}"},
"FeedbackRecord:fb":{"prov:type":{"$":"w:FeedbackRecord","type":"prov:QUALIFIED_NAME"},
"w:record":"{\"$type$\":\"FeedbackRecord\",\"id\":\"fb\",\"response_id\":\"resp_1\",\"timestamp\":\"2025-10-09T16:15:00Z\",\"score\":1,\"user_id\":\"u\"}"},
"Topic:t":{"prov:type":{"$":"w:Topic","type":"prov:QUALIFIED_NAME"},"w:record":"{\"$type$\":\"Topic\",\"id\":\"t\"}"},
"Message:m":{"prov:type":{"$":"w:Message","type":"prov:QUALIFIED_NAME"},"w:record":"{\"$type$\":\"Message\",\"id\":\"m\",\"topicId\":\"t\"}"}},
"activity":{"gen:resp_1":{"prov:endTime":"2025-10-09T16:15:00Z"}},
"agent":{"agent:a":{"prov:type":{"$":"prov:SoftwareAgent","type":"prov:QUALIFIED_NAME"},"prov:label":"a"},
"user:u":{"prov:type":{"$":"prov:Person","type":"prov:QUALIFIED_NAME"}}},
"wasGeneratedBy":{"_:1":{"prov:entity":"Response:resp_1","prov:activity":"gen:resp_1","prov:time":"2025-10-09T16:15:00Z"}},
"wasAssociatedWith":{"_:2":{"prov:activity":"gen:resp_1","prov:agent":"agent:a","w:model":"m"}},
"used":{"_:3":{"prov:activity":"gen:resp_1","prov:entity":"ContextUnit:cu_a","w:edge":"USED_IN","w:weight":{"$":"1","type":"xsd:double"}}},
"wasInfluencedBy":{"_:4":{"prov:influencee":"FeedbackRecord:fb","prov:influencer":"Response:resp_1","w:edge":"EVALUATES"}},
"wasAttributedTo":{"_:5":{"prov:entity":"FeedbackRecord:fb","prov:agent":"user:u"}},
"hadMember":{"_:6":{"prov:collection":"Topic:t","prov:entity":"Message:m"}}})";

bj::object exported_with(std::string_view section, std::string_view key, std::string_view entry) {
  auto document = json::parse(exported).value().value.get_object();
  auto& records = document[section];
  if (!records.is_object()) records.emplace_object();
  records.get_object()[key] = json::parse(entry).value().value;
  return document;
}

BOOST_AUTO_TEST_CASE(gives_back_the_records_of_our_own_export_and_nothing_else) {
  auto const import = read(exported);
  BOOST_TEST(refs_of(import) == "ContextUnit:cu_a\nResponse:resp_1\nFeedbackRecord:fb\nTopic:t\nMessage:m\n");
  BOOST_TEST((import.counts == json::ProvCounts{.own = 5, .implied = 6}));
  BOOST_TEST(import.warnings.empty());
  BOOST_TEST(import.records[0] == R"({"$type$":"ContextUnit","id":"cu_a","type":"User","source":"s",)"
                                  R"("timestamp":"2025-10-09T16:15:00Z","version":1})");
}

BOOST_AUTO_TEST_CASE(keeps_statements_of_others_about_our_records_with_an_entity_that_represents_them) {
  auto const import = read(json::to_text(bj::value(exported_with(
      "wasDerivedFrom", "_:x", R"({"prov:generatedEntity":"ContextUnit:cu_a","prov:usedEntity":"http://e/x"})"))));
  BOOST_TEST_REQUIRE(import.warnings.size() == 1U);
  BOOST_TEST(import.warnings[0].rule == "prov_subject");
  BOOST_TEST(import.warnings[0].path == "/wasDerivedFrom/_:x");
  auto const records = records_of(import);
  BOOST_TEST_REQUIRE(records.size() == 7U);
  auto const& stand_in = std::get<ProvEntity>(records[5]);
  BOOST_TEST(stand_in.id == "urn:whence:ContextUnit:cu_a");
  BOOST_TEST(stand_in.qname == "ContextUnit:cu_a");
  BOOST_TEST(stand_in.relations->front().other.value() == "ProvEntity:http://e/x");
  BOOST_TEST(node_id_of(records[6]) == "http://e/x");
}

BOOST_AUTO_TEST_CASE(draws_what_others_derived_from_our_records_to_them) {
  auto const import = read(json::to_text(bj::value(exported_with(
      "wasDerivedFrom", "_:x", R"({"prov:generatedEntity":"http://e/x","prov:usedEntity":"ContextUnit:cu_a"})"))));
  BOOST_TEST(import.warnings.empty());
  BOOST_TEST(first_other(import) == "ContextUnit:cu_a");
}

BOOST_AUTO_TEST_CASE(keeps_agents_of_ours_that_others_name) {
  auto const import = read(json::to_text(
      bj::value(exported_with("wasAttributedTo", "_:x", R"({"prov:entity":"http://e/x","prov:agent":"agent:a"})"))));
  auto const records = records_of(import);
  BOOST_TEST_REQUIRE(records.size() == 7U);
  auto const& agent = std::get<ProvAgent>(records[5]);
  BOOST_TEST(agent.id == "urn:whence:agent:a");
  BOOST_TEST(agent.attributes.has_value());
}

BOOST_AUTO_TEST_CASE(takes_what_only_edges_say_into_the_records) {
  auto const import = read(R"({"prefix":{"A":"urn:whence:XMLMessageAttachment:","R":"urn:whence:Response:",
"C":"urn:whence:RetrievedChunk:","Q":"urn:whence:Query:","gen":"urn:whence:generation:","whence":"urn:whence:ns#"},
"entity":{"A:h1":{"prov:type":{"$":"whence:XMLMessageAttachment","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"XMLMessageAttachment\",\"topicId\":\"t\"}"},
"A:h2":{"prov:type":{"$":"whence:XMLMessageAttachment","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"XMLMessageAttachment\",\"topicId\":\"u\"}"},
"R:resp_1":{"prov:type":{"$":"whence:Response","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"Response\",\"id\":\"resp_1\"}"},
"Q:q":{"prov:type":{"$":"whence:Query","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"Query\",\"request_id\":\"q\"}"},
"C:c":{"prov:type":{"$":"whence:RetrievedChunk","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"RetrievedChunk\",\"chunk_id\":\"c\",\"embedding\":[1],\"content\":\"x\"}"}},
"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"A:h1","prov:usedEntity":"R:resp_1","whence:edge":"RENDERED_AS"}},
"used":{"_:2":{"prov:activity":"gen:resp_1","prov:entity":"A:h2","whence:edge":"PROMPTED"}},
"wasInfluencedBy":{"_:3":{"prov:influencee":"Q:q","prov:influencer":"C:c","whence:edge":"RETRIEVED_FOR",
"whence:similarity":{"$":"0.57","type":"xsd:double"},"whence:rank":{"$":"2","type":"xsd:long"}}}})");
  BOOST_TEST_REQUIRE(import.records.size() == 6U);
  BOOST_TEST(import.records[0] == R"({"$type$":"XMLMessageAttachment","topicId":"t","responseId":"resp_1"})");
  BOOST_TEST(import.records[1] == R"({"$type$":"XMLMessageAttachment","topicId":"u","responseId":"resp_1"})");
  BOOST_TEST(import.records[5] == R"({"$type$":"RetrievedChunk","chunk_id":"c","content":"x","request_id":"q",)"
                                  R"("similarity_score":0.57,"rank":2})");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_only_answers_say) {
  auto const import =
      read(R"({"prefix":{"K":"urn:whence:Keyword:","whence":"urn:whence:ns#"},"entity":{"K:k":{"prov:type":
{"$":"whence:Keyword","type":"prov:QUALIFIED_NAME"},"whence:record":"{\"$type$\":\"Keyword\",\"term\":\"k\",\"dangling\":true}"}}})");
  BOOST_TEST(import.records.front() == R"({"$type$":"Keyword","term":"k"})");
}

// --- what is refused ---

struct Hostile {
  std::string name;
  std::string text;
  std::string verdict;
};
std::ostream& operator<<(std::ostream& out, Hostile const& each) {
  return out << each.name;
}

std::string whence_record(std::string_view type, std::string_view record) {
  return R"({"prefix":{"whence":"urn:whence:ns#"},"entity":{"urn:whence:Topic:t":{"prov:type":{"$":"whence:)" +
         std::string(type) + R"(","type":"prov:QUALIFIED_NAME"},"whence:record":)" + std::string(record) + "}}}";
}

std::vector<Hostile> const hostile = {
    {"no_json", "{", "invalid_json \n"},
    {"nothing", "", "invalid_json \n"},
    {"no_utf8", "{\"entity\":{\"\xff\":{}}}", "invalid_json \n"},
    {"too_deep", std::string(100, '[') + std::string(100, ']'), "invalid_json \n"},
    {"array", "[]", "prov_section \n"},
    {"unknown_section", R"({"entities":{}})", "prov_section /entities\n"},
    {"section_no_object", R"({"entity":[]})", "prov_section /entity\n"},
    {"section_null", R"({"used":null})", "prov_section /used\n"},
    {"member_twice", R"({"entity":{"a":{},"a":{}}})", "duplicate_member /entity/a\n"},
    {"prefix_no_object", R"({"prefix":[]})", "prov_prefix /prefix\n"},
    {"prefix_no_text", R"({"prefix":{"a/b":1}})", "prov_prefix /prefix/a~1b\n"},
    {"record_no_object", R"({"entity":{"a":"b"}})", "prov_record /entity/a\n"},
    {"record_null", R"({"agent":{"a":null}})", "prov_record /agent/a\n"},
    {"record_empty_array", R"({"entity":{"a":[]}})", "prov_record /entity/a\n"},
    {"record_of_arrays", R"({"entity":{"a":[[]]}})", "prov_record /entity/a\n"},
    {"relation_no_object", R"({"used":{"_:1":7}})", "prov_record /used/_:1\n"},
    {"relation_empty_array", R"({"used":{"_:1":[]}})", "prov_record /used/_:1\n"},
    {"value_null", R"({"entity":{"a":{"b":null}}})", "prov_value /entity/a/b\n"},
    {"value_object", R"({"entity":{"a":{"b":{}}}})", "prov_value /entity/a/b\n"},
    {"value_in_array", R"({"entity":{"a":[{},{"b":[1,[2]]}]}})", "prov_value /entity/a/1/b/1\n"},
    {"literal_of_object", R"({"entity":{"a":{"b":{"$":{},"type":"x"}}}})", "prov_value /entity/a/b\n"},
    {"literal_type_no_text", R"({"entity":{"a":{"b":{"$":"x","type":1}}}})", "prov_value /entity/a/b\n"},
    {"literal_of_more", R"({"entity":{"a":{"b":{"$":"x","foo":"y"}}}})", "prov_value /entity/a/b\n"},
    {"value_in_relation", R"({"used":{"_:1":{"prov:activity":"a","b":null}}})", "prov_value /used/_:1/b\n"},
    {"empty_name", R"({"entity":{"":{}}})", "prov_name /entity/\n"},
    {"empty_iri", R"({"prefix":{"e":""},"entity":{"e:":{}}})", "prov_name /entity/e:\n"},
    {"empty_argument", R"({"used":{"_:1":{"prov:activity":""}}})", "prov_name /used/_:1/prov:activity\n"},
    {"long_name", "{\"entity\":{\"" + std::string(limits::prov_name_max + 1, 'x') + "\":{}}}",
     "prov_name /entity/" + std::string(limits::prov_name_max + 1, 'x') + "\n"},
    {"no_subject_nor_object", R"({"used":{"_:1":{"prov:time":"a"}}})", "required /used/_:1/prov:activity\n"},
    {"no_subject_in_array", R"({"used":{"_:1":[{"prov:activity":"a"},{}]}})", "required /used/_:1/1/prov:activity\n"},
    {"subject_no_name", R"({"used":{"_:1":{"prov:activity":3}}})", "prov_argument /used/_:1/prov:activity\n"},
    {"subjects", R"({"used":{"_:1":{"prov:activity":["a","b"]}}})", "prov_argument /used/_:1/prov:activity\n"},
    {"object_no_name", R"({"used":{"_:1":{"prov:activity":"a","prov:entity":{"$":"b"}}}})",
     "prov_argument /used/_:1/prov:entity\n"},
    {"member_no_name", R"({"hadMember":{"_:1":{"prov:collection":"a","prov:entity":["b",1]}}})",
     "prov_argument /hadMember/_:1/prov:entity/1\n"},
    {"no_members", R"({"hadMember":{"_:1":{"prov:collection":"a","prov:entity":[]}}})",
     "prov_argument /hadMember/_:1/prov:entity\n"},
    {"bundles_no_object", R"({"bundle":[]})", "prov_bundle /bundle\n"},
    {"bundle_no_object", R"({"bundle":{"b":[]}})", "prov_bundle /bundle/b\n"},
    {"bundle_in_bundle", R"({"bundle":{"b":{"bundle":{}}}})", "prov_bundle /bundle/b/bundle\n"},
    {"bundle_twice", R"({"prefix":{"x":"h:","y":"h:"},"bundle":{"x:b":{"entity":{}},"y:b":{"entity":{}}}})",
     "prov_bundle /bundle/y:b\n"},
    {"unknown_section_in_bundle", R"({"bundle":{"b":{"foo":{}}}})", "prov_section /bundle/b/foo\n"},
    {"one_id_for_two", R"({"entity":{"a":{},"a#bundle=b":{}},"bundle":{"b":{"entity":{"a":{}}}}})",
     "prov_id /bundle/b/entity/a\n"},
    {"attributes_too_large",
     "{\"entity\":{\"a\":{\"b\":\"" + std::string(limits::prov_attributes_bytes_max, 'x') + "\"}}}",
     "size /entity/a\n"},
    {"whence_record_no_text", whence_record("Topic", "1"), "whence_record /entity/urn:whence:Topic:t/whence:record\n"},
    {"whence_record_no_json", whence_record("Topic", "\"{\""),
     "whence_record /entity/urn:whence:Topic:t/whence:record\n"},
    {"whence_record_no_object", whence_record("Topic", "\"[]\""),
     "whence_record /entity/urn:whence:Topic:t/whence:record\n"},
    {"whence_record_of_another_type", whence_record("Topic", R"("{\"$type$\":\"Message\"}")"),
     "whence_record /entity/urn:whence:Topic:t/whence:record\n"},
    {"whence_record_names_twice", whence_record("Topic", R"("{\"$type$\":\"Topic\",\"id\":\"t\",\"id\":\"t\"}")"),
     "whence_record /entity/urn:whence:Topic:t/whence:record\n"},
    {"several", R"({"entity":{"a":1,"b":{"c":null}},"foo":{}})",
     "prov_record /entity/a\nprov_value /entity/b/c\nprov_section /foo\n"},
};
BOOST_DATA_TEST_CASE(refuses_what_is_no_document_where_it_stands, data::make(hostile), each) {
  BOOST_TEST(verdict_of(json::read_prov_json(each.text)) == each.verdict);
}

BOOST_AUTO_TEST_CASE(takes_attributes_of_the_largest_size) {
  std::string const empty = R"({"b":""})";
  std::string const text(limits::prov_attributes_bytes_max - empty.size(), 'x');
  auto const import = read(R"({"entity":{"a":{"b":")" + text + R"("}}})");
  BOOST_TEST(records_of(import).size() == 1U);
}

BOOST_AUTO_TEST_CASE(keeps_a_relation_without_subject_with_its_object) {
  auto const import = read(R"({"agent":{"who":{}},"used":{"_:1":{"prov:entity":"a"}}})");
  BOOST_TEST_REQUIRE(import.warnings.size() == 1U);
  BOOST_TEST(import.warnings[0].rule == "prov_no_subject");
  BOOST_TEST(import.warnings[0].path == "/used/_:1");
  BOOST_TEST(refs_of(import) == "ProvAgent:who\nProvEntity:a\n");
  BOOST_TEST(first_other(import) == "none");
}

BOOST_AUTO_TEST_CASE(warns_of_a_relation_without_object_that_makes_no_edge) {
  auto const import =
      read(R"({"wasGeneratedBy":{"_:1":{"prov:entity":"a"}},"wasStartedBy":{"_:2":{"prov:activity":"r",)"
           R"("prov:starter":"s"},"_:3":{"prov:activity":"r"}}})");
  std::string said;
  for (auto const& each : import.warnings) said += each.rule + " " + each.path + " " + each.seen + "\n";
  BOOST_TEST(said ==
             "prov_no_object /wasGeneratedBy/_:1 prov:activity\nprov_no_object /wasStartedBy/_:3 prov:trigger\n");
}

/// The `further` of the first relation of `ref`.
std::string further_of(json::ProvImport const& import, std::string_view ref) {
  for (Record const& record : records_of(import)) {
    auto const* const node = json::prov_node_of(record);
    if (format_ref(type_of(record), node_id_of(record)) != ref || !node->relations) continue;
    std::string all;
    for (auto const& each : node->relations->front().further.value_or(std::vector<std::string>{})) all += each + " ";
    return all;
  }
  return "no relation";
}

std::vector<Named> const further = {
    {"starter", R"({"wasStartedBy":{"_:1":{"prov:activity":"x","prov:starter":"s"}}})", "ProvActivity:s "},
    {"ender", R"({"wasEndedBy":{"_:1":{"prov:activity":"x","prov:trigger":"t","prov:ender":"s"}}})", "ProvActivity:s "},
    {"plan", R"({"wasAssociatedWith":{"_:1":{"prov:activity":"x","prov:agent":"a","prov:plan":"p"}}})",
     "ProvEntity:p "},
};
BOOST_DATA_TEST_CASE(finds_what_further_arguments_lead_to, data::make(further), each) {
  BOOST_TEST(further_of(read(each.text), "ProvActivity:x") == each.refs);
}

std::vector<Named> const derivations = {
    {"activity", R"("prov:activity":"r")", "ProvActivity:r "},
    {"usage_alone", R"("prov:usage":"u")", "ProvActivity:s "},
    {"generation_alone", R"("prov:generation":"g")", "ProvActivity:t "},
    {"usage_and_generation", R"("prov:usage":"u","prov:generation":"g")", "ProvActivity:s ProvActivity:t "},
    {"one_activity_once", R"("prov:usage":"g2","prov:generation":"g")", "ProvActivity:t "},
    {"unknown_usage", R"("prov:usage":"none")", ""},
};
BOOST_DATA_TEST_CASE(finds_the_activity_of_a_derivation, data::make(derivations), each) {
  auto const import =
      read(R"({"used":{"u":{"prov:activity":"s","prov:entity":"a"},"g2":{"prov:activity":"t","prov:entity":"a"}},)"
           R"("wasGeneratedBy":{"g":[{"prov:entity":"b","prov:activity":"t"}]},)"
           R"("wasDerivedFrom":{"_:1":{"prov:generatedEntity":"x","prov:usedEntity":"a",)" +
           each.text + "}}}");
  BOOST_TEST(further_of(import, "ProvEntity:x") == each.refs);
}

BOOST_AUTO_TEST_CASE(takes_equal_relations_without_a_name_for_one) {
  auto const import = read(
      R"({"used":{"_:1":{"prov:activity":"r","prov:entity":"a","n":5},)"
      R"("_:2":{"prov:activity":"r","prov:entity":"a","n":{"$":"5","type":"xsd:int"}},)"
      R"("_:3":{"prov:activity":"r","prov:entity":"a","n":6},"x":{"prov:activity":"r","prov:entity":"a","n":5}}})");
  BOOST_TEST(import.counts.relations == 3U);
}

BOOST_AUTO_TEST_CASE(keeps_whole_numbers_of_any_size) {
  auto const import =
      read(R"({"entity":{"a":{"n":100000000000000000000,"m":{"$":-100000000000000000001,"type":"xsd:int"},)"
           R"("d":1e20}}})");
  auto const records = records_of(import);
  auto const& read_back = std::get<ProvEntity>(records.front());
  BOOST_TEST(read_back.attributes->json == R"({"d":1e+20,"m":{"$":"-100000000000000000001","type":"xsd:int"},)"
                                           R"("n":{"$":"100000000000000000000","type":"xsd:integer"}})");
}

BOOST_AUTO_TEST_CASE(finds_the_prefix_of_a_bundle_in_the_document_or_in_the_bundle) {
  auto const bundle_of = [](std::string const& document_prefix) {
    auto const import = read(R"({"prefix":{)" + document_prefix +
                             R"("x":"X"},"bundle":{"b:1":{"prefix":{"b":"http://in/"},"entity":{"b:a":{}}}}})");
    return std::get<ProvEntity>(records_of(import).front()).bundle_iri.value();
  };
  BOOST_TEST(bundle_of("") == "http://in/1");
  BOOST_TEST(bundle_of(R"("b":"http://out/",)") == "http://out/1");
}

BOOST_AUTO_TEST_CASE(warns_of_bundles_that_hold_nothing) {
  auto const import = read(R"({"bundle":{"b":{"entity":{}},"c":{"entity":{"a":{}}}}})");
  BOOST_TEST_REQUIRE(import.warnings.size() == 1U);
  BOOST_TEST(import.warnings[0].rule == "prov_bundle");
  BOOST_TEST(import.warnings[0].path == "/bundle/b");
}

}  // namespace
}  // namespace whence::schema::test
