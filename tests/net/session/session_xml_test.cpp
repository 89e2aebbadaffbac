// xml.validate and xml.build on the wire, and what a refused document looks like wherever it is sent.

#include "tests/net/session/session_fixture.hpp"

#include <ostream>
#include <string>

#include <boost/json/serialize.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;

constexpr char const* query_xml =
    "<llmQuery>\n<userMessage> How much? </userMessage><context topicId=\"t\" messageCount=\"12\">"
    "<activeSubjects>a b, ,c</activeSubjects></context></llmQuery>";
constexpr char const* query_parts =
    R"({"format":"llm-query","userMessage":" How much? ","context":{"topicId":"t","messageCount":12,)"
    R"("activeSubjects":["a b","c"],"recentKeywords":[]}})";
constexpr char const* response_xml =
    "<llmResponse><response>a &amp; b</response><analysis><subject name=\"x\" description=\"d &quot;q&quot;\" "
    "isNew=\"true\"><keyword term=\"k\" confidence=\"0.5\"/></subject><summaryUpdate></summaryUpdate></analysis>"
    "</llmResponse>";
constexpr char const* response_parts =
    R"({"format":"llm-response","response":"a & b","analysis":{"subjects":[{"name":"x","description":"d \"q\"",)"
    R"("isNew":true,"keywords":[{"term":"k","confidence":0.5}]}],"summaryUpdate":""}})";

std::string json_text(std::string_view text) {
  return json::serialize(json::value(text));
}

BOOST_FIXTURE_TEST_CASE(a_valid_document_answers_its_parts_format_first, SessionFixture) {
  for (auto const& [xml, parts] : {std::pair{query_xml, query_parts}, std::pair{response_xml, response_parts}}) {
    json::value const answer = result("xml.validate", R"({"xml":)" + json_text(xml) + "}");
    BOOST_TEST(answer.at("valid").as_bool());
    BOOST_TEST(answer.at("format") == json::parse(parts).at("format"));
    BOOST_TEST(json::serialize(answer.at("parts")) == json::serialize(json::parse(parts)));
  }
}

BOOST_FIXTURE_TEST_CASE(a_warning_names_its_rule_and_place, SessionFixture) {
  json::value const answer =
      result("xml.validate", R"({"format":"llm-response","xml":)" + json_text(response_xml) + "}");
  json::array const& warnings = answer.at("warnings").as_array();
  BOOST_REQUIRE(!warnings.empty());
  for (json::value const& warning : warnings) {
    BOOST_TEST(!warning.at("rule").as_string().empty());
    BOOST_TEST(warning.at("line").as_int64() == 1);
    BOOST_TEST(warning.at("column").as_int64() > 1);
    // Warnings about names are at a subject, those about usual lengths at the text that has them.
    bool const is_length = warning.at("rule").as_string().ends_with("_length");
    BOOST_TEST(
        warning.at("path").as_string().starts_with(is_length ? "/llmResponse" : "/llmResponse/analysis/subject[1]"));
    BOOST_TEST(!warning.at("message").as_string().empty());
  }
}

struct BadXml {
  char const* name;
  std::string xml;
  char const* error;
  char const* rule;
};
std::ostream& operator<<(std::ostream& out, BadXml const& one) {
  return out << one.name;
}

std::string answering(std::string const& response, std::string const& analysis) {
  return "<llmResponse>" + response + "<analysis>" + analysis + "</analysis></llmResponse>";
}
constexpr char const* said_yes = "<response>yes</response>";
constexpr char const* no_summary = "<summaryUpdate/>";

std::vector<BadXml> const bad_documents = {
    {"no_xml", "hello", "malformed_xml", "R1"},
    {"other_root", "<html/>", "missing_element", "R2"},
    {"no_response", answering("", no_summary), "missing_element", "R3"},
    {"two_responses", answering(std::string(said_yes) + said_yes, no_summary), "duplicate_element", "R3"},
    {"misplaced_keyword", answering(said_yes, std::string("<keyword term='a' confidence='1'/>") + no_summary),
     "misplaced_element", "R7"},
    {"no_name", answering(said_yes, std::string("<subject description='d' isNew='true'/>") + no_summary),
     "missing_attribute", "R6"},
    {"bad_confidence",
     answering(said_yes, std::string("<subject name='a' description='d' isNew='true'>"
                                     "<keyword term='a' confidence='2'/></subject>") +
                             no_summary),
     "invalid_attribute", "R9"},
    {"blank_response", answering("<response> </response>", no_summary), "empty_content", "R3"},
    {"too_deep",
     answering(
         said_yes, std::string(200, ' ') +
                       [] {
                         std::string deep;
                         for (int i = 0; i < 100; ++i) deep += "<a>";
                         for (int i = 0; i < 100; ++i) deep += "</a>";
                         return deep;
                       }()),
     "limit_exceeded", "limit"},
    {"latin1", "<?xml version='1.0' encoding='ISO-8859-1'?><llmResponse/>", "unsupported_encoding", "encoding"},
    {"doctype", "<!DOCTYPE llmResponse><llmResponse/>", "doctype_forbidden", "doctype"},
};

BOOST_DATA_TEST_CASE(a_refused_document_names_error_rule_and_place, data::make(bad_documents), bad) {
  SessionFixture f;
  json::value const error =
      f.call("xml.validate", R"({"format":"llm-response","xml":)" + json_text(bad.xml) + "}").at("error");
  BOOST_TEST(error.at("code").as_int64() == -32031);
  for (json::value const* const place : {&error.at("data"), &error.at("data").at("errors").at(0)}) {
    BOOST_TEST(place->at("error").as_string() == bad.error);
    BOOST_TEST(place->at("rule").as_string() == bad.rule);
    BOOST_TEST(place->at("line").as_int64() >= 1);
    BOOST_TEST(place->at("column").as_int64() >= 1);
    BOOST_TEST(place->at("path").as_string().starts_with("/"));
    BOOST_TEST(!place->at("message").as_string().empty());
    BOOST_TEST(!place->as_object().contains("index"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_refused_document_in_a_batch_also_names_its_record, SessionFixture) {
  json::value const error =
      call("records.write", R"({"ensure":true,"records":[{"$type$":"Topic","id":"t"},{"$type$":"XMLMessageAttachment",)"
                            R"("topicId":"t","messageId":"m","format":"llm-response","xml":"<llmResponse>\n<x>"}]})")
          .at("error");
  BOOST_TEST(error.at("code").as_int64() == -32031);
  json::value const& data = error.at("data");
  BOOST_TEST(data.at("index").as_int64() == 1);
  BOOST_TEST(data.at("error").as_string() == "malformed_xml");
  BOOST_TEST(data.at("line").as_int64() == 2);
  BOOST_TEST(data.at("errors").at(0).at("line").as_int64() == 2);
}

BOOST_FIXTURE_TEST_CASE(warnings_of_a_written_document_name_their_line, SessionFixture) {
  json::value const answer =
      result("records.write", R"({"ensure":true,"records":[{"$type$":"XMLMessageAttachment","topicId":"t",)"
                              R"("messageId":"m","format":"llm-response","xml":)" +
                                  json_text(response_xml) + "}]}");
  json::array const& warnings = answer.at("warnings").as_array();
  BOOST_REQUIRE(!warnings.empty());
  BOOST_TEST(warnings.at(0).at("line").as_int64() == 1);
  BOOST_TEST(warnings.at(0).at("index").as_int64() == 0);
}

BOOST_FIXTURE_TEST_CASE(build_takes_the_answer_of_validate_in_both_forms, SessionFixture) {
  for (std::string const parts : {query_parts, response_parts}) {
    std::string const built(result("xml.build", parts).at("xml").as_string());
    BOOST_TEST(result("xml.build", R"({"parts":)" + parts + "}").at("xml").as_string() == built);
    json::value const again = result("xml.validate", R"({"xml":)" + json_text(built) + "}");
    BOOST_TEST(again.at("parts") == json::parse(parts));
  }
  BOOST_TEST(result("xml.build", response_parts).at("xml").as_string() == response_xml);
}

BOOST_FIXTURE_TEST_CASE(a_format_beside_the_parts_is_enough, SessionFixture) {
  BOOST_TEST(
      result("xml.build", R"({"format":"llm-response","parts":{"response":"x","analysis":{"summaryUpdate":""}}})")
          .at("xml")
          .as_string() ==
      "<llmResponse><response>x</response><analysis><summaryUpdate></summaryUpdate></analysis></llmResponse>");
}

struct BadParts {
  char const* params;
  char const* path;
  char const* rule;
};
std::ostream& operator<<(std::ostream& out, BadParts const& bad) {
  return out << bad.params;
}

BadParts const bad_parts[] = {
    {"{}", "/format", "required"},
    {R"({"parts":{}})", "/parts/format", "required"},
    {R"({"parts":[]})", "/parts", "type"},
    {R"({"format":"html"})", "/format", "enum"},
    {R"({"format":"llm-query","userMessage":"x"})", "/context", "required"},
    {R"({"format":"llm-query","userMessage":"x","context":{"topicId":"t","messageCount":"1"}})",
     "/context/messageCount", "type"},
    {R"({"format":"llm-query","userMessage":"x","response":"y","context":{"topicId":"t","messageCount":1}})",
     "/response", "unknown_field"},
    {R"({"format":"llm-response","response":"x","analysis":{"summaryUpdate":"","subjects":[{"nam":""}]}})",
     "/analysis/subjects/0/description", "required"},
    {R"({"parts":{"format":"llm-query","userMessage":"x","context":{"topicId":"t","messageCount":1}},"x":1})", "/x",
     "unknown_field"},
    {R"({"format":"llm-response","parts":{"format":"llm-query","userMessage":"x","context":{"topicId":"t",)"
     R"("messageCount":1}}})",
     "/parts/format", "format"},
    {R"({"format":"llm-query","format":"llm-query"})", "/format", "duplicate_member"},
};

BOOST_DATA_TEST_CASE(parts_of_no_document_are_invalid_params, data::make(bad_parts), bad) {
  SessionFixture f;
  json::value const error = f.call("xml.build", bad.params).at("error");
  BOOST_TEST(error.at("code").as_int64() == -32602);
  BOOST_TEST(error.at("data").at("path").as_string() == bad.path);
  BOOST_TEST(error.at("data").at("rule").as_string() == bad.rule);
}

BOOST_FIXTURE_TEST_CASE(parts_that_no_document_can_hold_are_invalid_xml, SessionFixture) {
  for (char const* const parts :
       {R"({"format":"llm-response","response":" ","analysis":{"summaryUpdate":""}})",
        R"({"format":"llm-response","response":"\u0001","analysis":{"summaryUpdate":""}})",
        R"({"format":"llm-query","userMessage":"x","context":{"topicId":"t","messageCount":1,)"
        R"("recentKeywords":["a,b"]}})",
        R"({"format":"llm-query","userMessage":"x","context":{"topicId":"t",)"
        R"("messageCount":-1}})"}) {
    json::value const error = call("xml.build", parts).at("error");
    BOOST_TEST(error.at("code").as_int64() == -32031);
    BOOST_TEST(!error.at("data").at("error").as_string().empty());
  }
}

BOOST_FIXTURE_TEST_CASE(a_document_of_the_largest_size_is_answered_and_a_larger_one_refused, SessionFixture) {
  std::string const frame = answering("<response></response>", no_summary);
  std::size_t const rest = (std::size_t{1} << 20) - frame.size();
  auto const params = [&](std::size_t letters) {
    return R"({"xml":")" + answering("<response>" + std::string(letters, 'x') + "</response>", no_summary) + "\"}";
  };
  BOOST_TEST(result("xml.validate", params(rest)).at("valid").as_bool());
  json::value const error = call("xml.validate", params(rest + 1)).at("error");
  BOOST_TEST(error.at("data").at("error").as_string() == "limit_exceeded");
}

}  // namespace
}  // namespace whence::test
