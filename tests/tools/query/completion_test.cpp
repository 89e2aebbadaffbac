// What TAB offers at the prompt of `whence query`.

#include "tools/cli/query/completion.hpp"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using whence::tools::QueryVocabulary;

namespace {

QueryVocabulary offered_names() {
  return {.labels = {"Node", "Topic", "Response", "RetrievedChunk"},
          .types = {"USED_IN", "UPDATED_BY", "INFLUENCES"},
          .properties = {{"Topic", {"ref", "name"}}, {"Response", {"ref", "agent", "model"}}},
          .relation_properties = {"weight", "tx"},
          .procedures = {"db.labels", "db.propertyKeys", "whence.lineage"},
          .functions = {"toUpper", "toLower", "size"}};
}

struct OfferCase {
  std::string_view name;
  std::string_view text;
  std::string_view word;      ///< that an offer replaces
  std::string_view expected;  ///< the offers
};
std::ostream& operator<<(std::ostream& out, OfferCase const& each) {
  return out << each.name;
}

constexpr OfferCase offer_cases[] = {
    {"commands", ":hi", ":hi", ":history"},
    {"clauses_in_any_case", "mat", "mat", "MATCH"},
    {"clauses_of_several_words", "MATCH (n) RETURN n ord", "ord", "ORDER BY"},
    {"labels", "MATCH (n:Re", "Re", "Response RetrievedChunk"},
    {"labels_in_a_condition", "MATCH (n) WHERE n:To", "To", "Topic"},
    {"other_labels", "MATCH (n:Topic|Resp", "Resp", "Response"},
    {"types", "MATCH (a)-[:U", "U", "USED_IN UPDATED_BY"},
    {"types_of_a_named_relation", "MATCH (a:Topic)<-[x:inf", "inf", "INFLUENCES"},
    {"properties_of_a_label", "MATCH (t:Topic) RETURN t.", "", "ref name"},
    {"properties_of_any_label", "MATCH (t) RETURN t.a", "a", "agent"},
    {"properties_of_a_relation", "MATCH (a)-[x:USED_IN]->(b) RETURN x.w", "w", "weight"},
    {"properties_in_a_pattern", "MATCH (r:Response {m", "m", "model"},
    {"properties_in_a_relation", "MATCH (a)-[:USED_IN {w", "w", "weight"},
    {"values", "RETURN $who", "who", "whole whose"},
    {"procedures", "CALL db.", "db.", "db.labels db.propertyKeys"},
    {"functions", "RETURN toU", "toU", "toUpper"},
    {"names_of_the_statement_first", "MATCH (sized:Topic) RETURN siz", "siz", "sized size"},
    {"columns", "MATCH (n) WITH n AS sought RETURN soug", "soug", "sought"},
    {"nothing_in_a_text", "RETURN 'mat", "", ""},
    {"nothing_in_a_comment", "RETURN 1 // mat", "", ""},
    {"something_after_a_text", "RETURN 'a' AS b ord", "ord", "ORDER BY"},
    {"nothing_of_that_beginning", "MATCH (n:Xy", "Xy", ""},
};

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(query_completion)

BOOST_DATA_TEST_CASE(names_that_may_stand_there_are_offered, boost::unit_test::data::make(offer_cases), example) {
  auto const offers = whence::tools::offers_of(example.text, offered_names(), {"whole", "whose", "other"});
  BOOST_TEST(joined(offers.words) == example.expected);
  if (!example.expected.empty()) BOOST_TEST(example.text.substr(offers.begin) == example.word);
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_statement_is_looked_at) {
  std::string const text =
      "MATCH (a:Topic {name: 'x;{'})-[r:USED_IN*1..3]->(b) WHERE a.name =~ \"(\" /* [ */ RETURN `odd (name`, b.agent";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    auto const offers = whence::tools::offers_of(text.substr(0, size), offered_names(), {});
    BOOST_TEST(offers.begin <= size);
  }
}

BOOST_AUTO_TEST_CASE(what_words_have_in_common_ignores_their_case) {
  BOOST_TEST(whence::tools::common_beginning({"toUpper", "TOLower"}) == "to");
  BOOST_TEST(whence::tools::common_beginning({"one"}) == "one");
  BOOST_TEST(whence::tools::common_beginning({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
