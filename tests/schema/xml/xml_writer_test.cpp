// Writing: what it looks like, what it refuses, and that random parts come back equal.
#include "schema/base/text.hpp"
#include "tests/schema/xml/xml_documents.hpp"
#include "tests/support/random_parts.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::xml {
namespace {

namespace data = boost::unit_test::data;
using namespace test;

QueryParts plain_query() {
  return {.user_message = "u", .context = {.topic_id = "t"}};
}

ResponseParts plain_response() {
  ResponseParts parts;
  parts.response = "r";
  parts.analysis.subjects = {{.name = "n", .description = "d", .is_new = false, .keywords = {{"k", 0.5}}}};
  return parts;
}

BOOST_AUTO_TEST_CASE(writes_a_query) {
  BOOST_TEST(write(plain_query()).value() ==
             "<llmQuery><userMessage>u</userMessage><context topicId=\"t\" messageCount=\"0\"></context></llmQuery>");
  QueryParts const full{.user_message = "a\r\n\t\"b\"",
                        .context = {.topic_id = "a\r\n\t\"b'",
                                    .message_count = std::numeric_limits<std::int64_t>::max(),
                                    .active_subjects = {"x y", "<"},
                                    .recent_keywords = {"z"}}};
  BOOST_TEST(write(full).value() ==
             "<llmQuery><userMessage>a&#13;\n\t\"b\"</userMessage><context topicId=\"a&#13;&#10;&#9;&quot;b&apos;\" "
             "messageCount=\"9223372036854775807\"><activeSubjects>x y, &lt;</activeSubjects><recentKeywords>z"
             "</recentKeywords></context></llmQuery>");
}

BOOST_AUTO_TEST_CASE(writes_a_response) {
  BOOST_TEST(
      write(plain_response()).value() ==
      "<llmResponse><response>r</response><analysis><subject name=\"n\" description=\"d\" isNew=\"false\"><keyword "
      "term=\"k\" confidence=\"0.5\"/></subject><summaryUpdate></summaryUpdate></analysis></llmResponse>");
}

struct Unsayable {
  std::string name;
  XmlParts parts;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, Unsayable const& each) {
  return out << each.name;
}

template <class Change>
XmlParts query_with(Change const& change) {
  QueryParts parts = plain_query();
  change(parts);
  return parts;
}
template <class Change>
XmlParts response_with(Change const& change) {
  ResponseParts parts = plain_response();
  change(parts);
  return parts;
}
XmlParts with_items(std::vector<std::string> items) {
  return query_with([&](QueryParts& parts) { parts.context.active_subjects = std::move(items); });
}
XmlParts with_confidence(double confidence) {
  return response_with([&](ResponseParts& parts) { parts.analysis.subjects[0].keywords[0].confidence = confidence; });
}

std::string const first_confidence = "invalid_attribute R9 1:1 /llmResponse/analysis/subject[1]/keyword[1]/@confidence";
std::string const bad_item = "malformed_xml Q5 1:1 /llmQuery/context/activeSubjects";
std::vector<Unsayable> const unsayable = {
    {"item_with_comma", with_items({"a", "b,c"}), bad_item},
    {"blank_item", with_items({" "}), bad_item},
    {"empty_item", with_items({""}), bad_item},
    {"untrimmed_item", with_items({"a\n"}), bad_item},
    {"21_items", with_items(std::vector<std::string>(21, "a")),
     "limit_exceeded Q5 1:1 /llmQuery/context/activeSubjects"},
    {"51_items", query_with([](QueryParts& p) { p.context.recent_keywords.assign(51, "a"); }),
     "limit_exceeded Q5 1:1 /llmQuery/context/recentKeywords"},
    {"no_message", XmlParts{QueryParts{}}, "empty_content Q3 1:1 /llmQuery/userMessage"},
    {"no_topic", query_with([](QueryParts& p) { p.context.topic_id = " "; }),
     "invalid_attribute Q4 1:1 /llmQuery/context/@topicId"},
    {"negative_count", query_with([](QueryParts& p) { p.context.message_count = -1; }),
     "invalid_attribute Q4 1:1 /llmQuery/context/@messageCount"},
    {"no_response", XmlParts{ResponseParts{}}, "empty_content R3 1:1 /llmResponse/response"},
    {"control_character", response_with([](ResponseParts& p) { p.response = "a\x01"; }),
     "malformed_xml R1 1:1 /llmResponse/response"},
    {"control_character_of_a_query", query_with([](QueryParts& p) { p.user_message = "a\xEF\xBF\xBF"; }),
     "malformed_xml Q1 1:1 /llmQuery/userMessage"},
    {"zero", response_with([](ResponseParts& p) { p.response = std::string(2, '\0'); }),
     "unsupported_encoding encoding 1:1 /"},
    {"not_utf8", response_with([](ResponseParts& p) { p.response = "\xFF"; }), "unsupported_encoding encoding 1:1 /"},
    {"four_subjects", response_with([](ResponseParts& p) { p.analysis.subjects.resize(4, p.analysis.subjects[0]); }),
     "limit_exceeded R5 1:1 /llmResponse/analysis/subject[4]"},
    {"eleven_keywords", response_with([](ResponseParts& p) {
       p.analysis.subjects[0].keywords.assign(11, {"k", 1});
     }),
     "limit_exceeded R7 1:1 /llmResponse/analysis/subject[1]/keyword[11]"},
    {"name_with_newline", response_with([](ResponseParts& p) { p.analysis.subjects[0].name = "a\nb"; }),
     "invalid_attribute R6 1:1 /llmResponse/analysis/subject[1]/@name"},
    {"confidence_over", with_confidence(1.5), first_confidence},
    {"confidence_nan", with_confidence(std::nan("")), first_confidence},
    {"confidence_infinite", with_confidence(std::numeric_limits<double>::infinity()), first_confidence},
    {"too_large", response_with([](ResponseParts& p) { p.response.assign(1U << 20U, 'a'); }),
     "limit_exceeded limit 1:1 /"},
};
BOOST_DATA_TEST_CASE(refuses_parts_that_no_document_says, data::make(unsayable), each) {
  auto const written = write(each.parts);
  BOOST_TEST_REQUIRE(!written.has_value());
  BOOST_TEST(verdict(Result<Document>{written.error()}) == each.expected);
}

// Claim: every document that `write` makes is accepted, says the parts it was made from, and is written the same again.
// Method: random parts; WHENCE_XML_DOCUMENTS says how many.
BOOST_AUTO_TEST_CASE(random_parts_come_back_equal) {
  long const count = documents_to_make(10'000);
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RandomParts random{seed};
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    for (long i = 0; i < count; ++i) {
      XmlParts const parts = random.next();
      auto const written = write(parts);
      BOOST_TEST_REQUIRE(written.has_value(), (written ? "" : verdict(Result<Document>{written.error()})));
      auto const document = read(*written, format_of(parts));
      BOOST_TEST_REQUIRE(verdict(document) == "valid");
      BOOST_TEST_REQUIRE((document->parts == parts));
      BOOST_TEST_REQUIRE((write(document->parts).value() == *written));
    }
  }
}

}  // namespace
}  // namespace whence::schema::xml
