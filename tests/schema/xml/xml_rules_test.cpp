// Every rule of the contract broken one at a time, at and over its bound, with the name, rule and place of what is
// said.
#include "schema/xml/markup.hpp"
#include "tests/schema/xml/xml_documents.hpp"
#include "tests/support/seed.hpp"

#include <iterator>
#include <random>
#include <set>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::xml {
namespace {

namespace data = boost::unit_test::data;
using namespace test;

struct XmlCase {
  std::string name;
  std::string bytes;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, XmlCase const& each) {
  return out << each.name;
}

std::string const u = "<userMessage>u</userMessage>";
std::string const astral = "\U0001F600";
std::string const analysis = "<analysis><summaryUpdate/></analysis>";

std::vector<XmlCase> const query_cases = {
    {"shortest", query(u + context), "valid"},
    {"other_order", query(context + u), "valid"},
    {"q1_unclosed", "<llmQuery>", "malformed_xml Q1 1:11 /llmQuery"},
    {"q1_in_a_tag", "<llmQuery <", "malformed_xml Q1 1:11 /"},
    {"q2_root", "<llmquery/>", "missing_element R2 1:1 /llmquery"},
    {"q2_root_inside", query(u + context + "<llmQuery/>"), "misplaced_element Q2 1:78 /llmQuery/llmQuery"},
    {"q3_missing", query(context), "missing_element Q3 1:50 /llmQuery/userMessage"},
    {"q3_twice", query(u + u + context), "duplicate_element Q3 1:39 /llmQuery/userMessage[2]"},
    {"q3_empty", query("<userMessage/>" + context), "empty_content Q3 1:11 /llmQuery/userMessage"},
    {"q3_white", query("<userMessage> \n\t&#13;</userMessage>"), "empty_content Q3 1:11 /llmQuery/userMessage"},
    {"q3_unknown_text_only", query("<userMessage><b>u</b></userMessage>"),
     "empty_content Q3 1:11 /llmQuery/userMessage"},
    {"q3_no_break_space", query("<userMessage>\u00A0</userMessage>" + context), "valid"},
    {"q3_longest", query("<userMessage>" + repeat(astral, 10'000) + "</userMessage>" + context), "valid"},
    {"q3_too_long", query("<userMessage>" + repeat(astral, 10'001) + "</userMessage>" + context),
     "limit_exceeded Q3 1:11 /llmQuery/userMessage"},
    {"q3_untrimmed_length", query("<userMessage>u" + repeat(" ", 10'000) + "</userMessage>" + context),
     "limit_exceeded Q3 1:11 /llmQuery/userMessage"},
    {"q3_unknown_text_uncounted", query("<userMessage>u<b>" + repeat("x", 10'000) + "</b></userMessage>" + context),
     "valid"},
    {"q3_misplaced", query_of(u), "misplaced_element Q3 1:77 /llmQuery/context/userMessage"},
    {"q4_missing", query(u), "missing_element Q4 1:39 /llmQuery/context"},
    {"q4_twice", query(u + context + context), "duplicate_element Q4 1:78 /llmQuery/context[2]"},
    {"q4_no_topic", query(u + "<context messageCount=\"1\"/>"), "missing_attribute Q4 1:39 /llmQuery/context/@topicId"},
    {"q4_no_count", query(u + "<context topicId=\"t\"/>"), "missing_attribute Q4 1:39 /llmQuery/context/@messageCount"},
    {"q4_prefixed_is_another", query(u + "<context xmlns:p=\"n\" p:topicId=\"t\" messageCount=\"1\"/>"),
     "missing_attribute Q4 1:39 /llmQuery/context/@topicId"},
    {"q4_blank_topic", query(u + "<context topicId=\"&#9;\" messageCount=\"1\"/>"),
     "invalid_attribute Q4 1:39 /llmQuery/context/@topicId"},
    {"q4_negative", query(u + "<context topicId=\"t\" messageCount=\"-1\"/>"),
     "invalid_attribute Q4 1:39 /llmQuery/context/@messageCount"},
    {"q4_too_large", query(u + "<context topicId=\"t\" messageCount=\"9223372036854775808\"/>"),
     "invalid_attribute Q4 1:39 /llmQuery/context/@messageCount"},
    {"q4_largest", query(u + "<context topicId=\"t\" messageCount=\"9223372036854775807\"/>"), "valid"},
    {"q4_misplaced", query_of(context), "misplaced_element Q4 1:77 /llmQuery/context/context"},
    {"q5_empty", query_of("<activeSubjects/><recentKeywords></recentKeywords>"), "valid"},
    {"q5_other_order", query_of("<recentKeywords>a</recentKeywords><activeSubjects>b</activeSubjects>"), "valid"},
    {"q5_twice", query_of("<activeSubjects/><activeSubjects/>"),
     "duplicate_element Q5 1:94 /llmQuery/context/activeSubjects[2]"},
    {"q5_20", query_of("<activeSubjects>" + repeat("a,, ", 20) + "</activeSubjects>"), "valid"},
    {"q5_21", query_of("<activeSubjects>" + repeat("a,", 21) + "</activeSubjects>"),
     "limit_exceeded Q5 1:77 /llmQuery/context/activeSubjects"},
    {"q5_50", query_of("<recentKeywords>" + repeat("a,", 50) + "</recentKeywords>"), "valid"},
    {"q5_51", query_of("<recentKeywords>" + repeat("a,", 51) + "</recentKeywords>"),
     "limit_exceeded Q5 1:77 /llmQuery/context/recentKeywords"},
    {"q5_misplaced", query(u + context + "<recentKeywords/>"), "misplaced_element Q5 1:78 /llmQuery/recentKeywords"},
};
BOOST_DATA_TEST_CASE(holds_every_rule_of_queries, data::make(query_cases), each) {
  BOOST_TEST(verdict(each.bytes) == each.expected);
}

std::vector<XmlCase> const response_cases = {
    {"shortest", response_of(""), "valid"},
    {"other_order", response(analysis + "<response>r</response>"), "valid"},
    {"r1_unclosed", "<llmResponse>", "malformed_xml R1 1:14 /llmResponse"},
    {"r1_nothing", "", "malformed_xml R1 1:1 /"},
    {"r2_root", "<response>r</response>", "missing_element R2 1:1 /response"},
    {"r2_root_inside", response("<llmResponse/>"), "misplaced_element R2 1:14 /llmResponse/llmResponse"},
    {"r3_missing", response(analysis), "missing_element R3 1:51 /llmResponse/response"},
    {"r3_twice", response("<response>r</response><response>r</response>"),
     "duplicate_element R3 1:36 /llmResponse/response[2]"},
    {"r3_empty", response("<response/>" + analysis), "empty_content R3 1:14 /llmResponse/response"},
    {"r3_empty_cdata", response("<response><![CDATA[ ]]></response>"), "empty_content R3 1:14 /llmResponse/response"},
    {"r3_comment_only", response("<response><!-- r --></response>"), "empty_content R3 1:14 /llmResponse/response"},
    {"r3_misplaced", response("<analysis><response/></analysis>"),
     "misplaced_element R3 1:24 /llmResponse/analysis/response"},
    {"r3_long", response("<response>" + repeat("r", 100'000) + "</response>" + analysis), "valid"},
    {"r4_missing", response("<response>r</response>"), "missing_element R4 1:36 /llmResponse/analysis"},
    {"r4_twice", response("<response>r</response>" + analysis + analysis),
     "duplicate_element R4 1:73 /llmResponse/analysis[2]"},
    {"r4_misplaced", response_of("<analysis/>"), "misplaced_element R4 1:46 /llmResponse/analysis/analysis"},
    {"r5_three", response_of(repeat(subject(), 3)), "valid"},
    {"r5_four", response_of(repeat(subject(), 3) + "<subject/>"),
     "limit_exceeded R5 1:217 /llmResponse/analysis/subject[4]"},
    {"r5_misplaced", response_of(subject(subject())),
     "misplaced_element R5 1:93 /llmResponse/analysis/subject[1]/subject[1]"},
    {"r5_in_text", response("<response>r<subject/></response>"),
     "misplaced_element R5 1:25 /llmResponse/response/subject[1]"},
    {"r6_no_name", response_of("<subject description=\"d\" isNew=\"true\"/>"),
     "missing_attribute R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r6_no_description", response_of("<subject name=\"a\" isNew=\"true\"/>"),
     "missing_attribute R6 1:46 /llmResponse/analysis/subject[1]/@description"},
    {"r6_no_is_new", response_of("<subject name=\"a\" description=\"d\"/>"),
     "missing_attribute R6 1:46 /llmResponse/analysis/subject[1]/@isNew"},
    {"r6_blank_name", response_of(subject("", " ")),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r6_blank_description", response_of("<subject name=\"a\" description=\"\" isNew=\"true\"/>"),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@description"},
    {"r6_is_new_1", response_of("<subject name=\"a\" description=\"d\" isNew=\"1\"/>"),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@isNew"},
    {"r6_is_new_space", response_of("<subject name=\"a\" description=\"d\" isNew=\" true\"/>"),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@isNew"},
    {"r6_name_tab", response_of(subject("", "a&#9;b")),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r6_name_delete", response_of(subject("", "a&#x7F;")),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r6_name_c1", response_of(subject("", "a&#x9F;")),
     "invalid_attribute R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r6_name_written_tab", response_of(subject("", "a\tb")), "valid"},  // normalised to a space
    {"r6_name_255", response_of(subject("", repeat(astral, 255))), "valid"},
    {"r6_name_256", response_of(subject("", repeat(astral, 256))),
     "limit_exceeded R6 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"r7_ten", response_of(subject(repeat(keyword(), 10))), "valid"},
    {"r7_eleven", response_of(subject(repeat(keyword(), 10) + "<keyword/>")),
     "limit_exceeded R7 1:453 /llmResponse/analysis/subject[1]/keyword[11]"},
    {"r7_misplaced", response_of(keyword()), "misplaced_element R7 1:46 /llmResponse/analysis/keyword[1]"},
    {"r7_in_keyword", response_of(subject("<keyword term=\"k\" confidence=\"1\">" + keyword() + "</keyword>")),
     "misplaced_element R7 1:126 /llmResponse/analysis/subject[1]/keyword[1]/keyword[1]"},
    {"r8_no_term", response_of(subject("<keyword confidence=\"1\"/>")),
     "missing_attribute R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@term"},
    {"r8_no_confidence", response_of(subject("<keyword term=\"k\"/>")),
     "missing_attribute R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
    {"r8_blank_term", response_of(subject(keyword("1", ""))),
     "invalid_attribute R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@term"},
    {"r8_newline", response_of(subject(keyword("1", "a&#10;b"))),
     "invalid_attribute R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@term"},
    {"r8_term_255", response_of(subject(keyword("1", repeat("\u00e9", 255)))), "valid"},
    {"r8_term_256", response_of(subject(keyword("1", repeat("\u00e9", 256)))),
     "limit_exceeded R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@term"},
    {"r9_word", response_of(subject(keyword("high"))),
     "invalid_attribute R9 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
    {"r9_over", response_of(subject(keyword() + keyword("1.01"))),
     "invalid_attribute R9 1:129 /llmResponse/analysis/subject[1]/keyword[2]/@confidence"},
    {"r9_under", response_of(subject(keyword("-0.01"))),
     "invalid_attribute R9 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
    {"r9_space", response_of(subject(keyword(" 0.5"))),
     "invalid_attribute R9 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
    {"r10_missing", response("<response>r</response><analysis></analysis>"),
     "missing_element R10 1:46 /llmResponse/analysis/summaryUpdate"},
    {"r10_twice", response_of("<summaryUpdate>s</summaryUpdate>"),
     "duplicate_element R10 1:78 /llmResponse/analysis/summaryUpdate[2]"},
    {"r10_misplaced", response("<summaryUpdate/>"), "misplaced_element R10 1:14 /llmResponse/summaryUpdate"},
};
BOOST_DATA_TEST_CASE(holds_every_rule_of_responses, data::make(response_cases), each) {
  BOOST_TEST(verdict(each.bytes) == each.expected);
}

std::vector<XmlCase> const order_cases = {
    {"place_before_what_is_missing", response("<subject/>"), "misplaced_element R5 1:14 /llmResponse/subject[1]"},
    {"content_before_what_comes_later", response("<response/><analysis/>"),
     "empty_content R3 1:14 /llmResponse/response"},
    {"rule_before_malformed_rest", response("<subject/>") + "<", "misplaced_element R5 1:14 /llmResponse/subject[1]"},
    {"malformed_before_later_rule", "<llmResponse>&nbsp;<subject/></llmResponse>",
     "malformed_xml R1 1:20 /llmResponse"},
    {"count_before_attributes", response_of(repeat(subject(), 3) + "<subject/>"),
     "limit_exceeded R5 1:217 /llmResponse/analysis/subject[4]"},
    {"missing_attribute_before_invalid_one", response_of(subject("<keyword confidence=\"9\"/>")),
     "missing_attribute R8 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@term"},
    {"first_missing_of_two", "<llmResponse/>", "missing_element R3 1:1 /llmResponse/response"},
    {"inner_missing_first", response("<analysis/>"), "missing_element R10 1:14 /llmResponse/analysis/summaryUpdate"},
    {"declaration_before_all", "<?xml version=\"1.0\" encoding=\"latin1\"?><!DOCTYPE a><a>",
     "unsupported_encoding encoding 1:1 /"},
    {"bytes_before_root", "<wrong/>\xFF", "unsupported_encoding encoding 1:9 /"},
};
BOOST_DATA_TEST_CASE(says_what_comes_first_in_the_document, data::make(order_cases), each) {
  BOOST_TEST(verdict(each.bytes) == each.expected);
}

struct RootCase {
  std::string root;
  std::optional<XmlFormat> format;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, RootCase const& each) {
  return out << each.root << " as " << (each.format ? name_of(*each.format) : "any");
}
std::vector<RootCase> const roots = {
    {"llmResponse", XmlFormat::llm_query, "missing_element Q2 1:1 /llmResponse"},
    {"llmQuery", XmlFormat::llm_response, "missing_element R2 1:1 /llmQuery"},
    {"other", XmlFormat::llm_query, "missing_element Q2 1:1 /other"},
    {"other", XmlFormat::llm_response, "missing_element R2 1:1 /other"},
    {"other", {}, "missing_element R2 1:1 /other"},
    {"LLMQuery", {}, "missing_element R2 1:1 /LLMQuery"},
};
BOOST_DATA_TEST_CASE(names_a_root_that_is_not_the_expected_one, data::make(roots), each) {
  BOOST_TEST(verdict("<" + each.root + "/>", each.format) == each.expected);
}

struct WarningCase {
  std::string name;
  std::string bytes;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, WarningCase const& each) {
  return out << each.name;
}
std::string const fifty(50, 'd');
std::string good_subject(std::string const& inside, std::string const& name = "a",
                         std::string const& description = fifty) {
  return "<subject name=\"" + name + "\" description=\"" + description + "\" isNew=\"true\">" + inside + "</subject>";
}
std::string const three = repeat(keyword(), 3);
std::vector<WarningCase> const warning_cases = {
    {"none", response_of(good_subject(three)), ""},
    {"seven", response_of(good_subject(repeat(keyword(), 7))), ""},
    {"name", response_of(good_subject(three, "A b")), "name_form 1:46 /llmResponse/analysis/subject[1]/@name"},
    {"term", response_of(good_subject(repeat(keyword(), 2) + keyword("1", "T"))),
     "term_form 1:214 /llmResponse/analysis/subject[1]/keyword[3]/@term"},
    {"two_keywords", response_of(good_subject(repeat(keyword(), 2))),
     "keyword_count 1:46 /llmResponse/analysis/subject[1]"},
    {"eight_keywords", response_of(good_subject(repeat(keyword(), 8))),
     "keyword_count 1:46 /llmResponse/analysis/subject[1]"},
    {"confidence", response_of(good_subject(keyword("0.6") + keyword("0.59") + keyword())),
     "confidence 1:178 /llmResponse/analysis/subject[1]/keyword[2]/@confidence"},
    {"description_49", response_of(good_subject(three, "a", std::string(49, 'd'))),
     "description_length 1:46 /llmResponse/analysis/subject[1]/@description"},
    {"description_200", response_of(good_subject(three, "a", repeat("\u00e9", 200))), ""},
    {"description_201", response_of(good_subject(three, "a", std::string(201, 'd'))),
     "description_length 1:46 /llmResponse/analysis/subject[1]/@description"},
    {"stray_once_a_run", response("a<!-- --> &lt;<?p?><![CDATA[c]]><response>r</response> \n b" + analysis),
     "stray_text 1:14 /llmResponse, stray_text 2:2 /llmResponse"},
    {"stray_around_unknown", response("a<x>b<response/></x>c<response>r</response>" + analysis),
     "stray_text 1:14 /llmResponse, stray_text 1:34 /llmResponse"},
    {"stray_in_keyword",
     response_of(good_subject(repeat(keyword(), 2) + "<keyword term=\"k\" confidence=\"1\">x</keyword>")),
     "stray_text 1:247 /llmResponse/analysis/subject[1]/keyword[3]"},
    {"stray_in_query", query_of(" , <activeSubjects/>"), "stray_text 1:78 /llmQuery/context"},
    {"white_is_not_stray", response_of(" \r\n\t&#32;<![CDATA[ ]]>"), ""},
    {"in_document_order", response_of(good_subject(keyword("0.1"))),
     "keyword_count 1:46 /llmResponse/analysis/subject[1], confidence 1:142 "
     "/llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
};
/// Without those of the short texts that these documents have.
std::string form_warnings(std::string_view bytes) {
  auto const document = read(bytes).value();
  std::string result;
  for (Violation const& warning : document.warnings) {
    if (warning.rule == "response_length" || warning.rule == "subject_count") continue;
    if (!result.empty()) result += ", ";
    result += warning.rule + " " + std::to_string(warning.xml->line) + ":" + std::to_string(warning.xml->column) + " " +
              warning.path;
  }
  return result;
}

BOOST_DATA_TEST_CASE(warns_of_what_should_be_otherwise, data::make(warning_cases), each) {
  BOOST_TEST(form_warnings(each.bytes) == each.expected);
}

std::string sized(std::size_t response_length, std::size_t summary_length, std::string const& subjects) {
  return response("<response>" + repeat("\u00e9", response_length) + "</response><analysis>" + subjects +
                  "<summaryUpdate>" + repeat("\u00e9", summary_length) + "</summaryUpdate></analysis>");
}
std::string const one_subject = good_subject(three);
std::vector<WarningCase> const length_cases = {
    {"least", sized(100, 50, one_subject), ""},
    {"most", sized(2000, 300, one_subject), ""},
    {"short_response", sized(99, 50, one_subject), "response_length /llmResponse/response"},
    {"long_response", sized(2001, 50, one_subject), "response_length /llmResponse/response"},
    {"short_summary", sized(100, 49, one_subject), "summary_length /llmResponse/analysis/summaryUpdate"},
    {"long_summary", sized(100, 301, one_subject), "summary_length /llmResponse/analysis/summaryUpdate"},
    {"empty_summary", sized(100, 0, one_subject), ""},
    {"no_subject", sized(100, 50, ""), "subject_count /llmResponse/analysis"},
};
BOOST_DATA_TEST_CASE(warns_of_unusual_lengths, data::make(length_cases), each) {
  auto const document = read(each.bytes).value();
  std::string result;
  for (Violation const& warning : document.warnings) result += warning.rule + " " + warning.path;
  BOOST_TEST(result == each.expected);
}

std::string const usual(100, 'r');
std::vector<WarningCase> const mark_cases = {
    {"text", "a > b > c", "bare_mark 1:27 /llmResponse/response"},
    {"escaped", "a &gt; b &#62; c &#x3e;", ""},
    {"cdata", "<![CDATA[a > b]]>", ""},
    {"comment", "<!-- > -->", ""},
    {"instruction", "<?p > ?>", ""},
    {"unknown_element", "<x a='>'>b > c</x>", ""},
    {"behind_unknown", "<x/>\n > ", "bare_mark 2:2 /llmResponse/response"},
};
BOOST_DATA_TEST_CASE(warns_of_marks_that_are_not_escaped, data::make(mark_cases), each) {
  BOOST_TEST(form_warnings(response("<response>r" + each.bytes + usual + "</response>" + analysis)) == each.expected);
}

BOOST_AUTO_TEST_CASE(warns_of_a_mark_in_an_attribute_at_its_path) {
  auto const described = good_subject(three, "a", fifty + ">");
  BOOST_TEST(form_warnings(response_of(good_subject(three, "b") + described))
                 .ends_with(" /llmResponse/analysis/subject[2]/@description"));
  BOOST_TEST(
      form_warnings(query_of("<activeSubjects>a>b</activeSubjects>")).ends_with(" /llmQuery/context/activeSubjects"));
}

BOOST_AUTO_TEST_CASE(measures_content_and_markup) {
  std::string const text =
      "<llmQuery><userMessage>hello</userMessage><context topicId='t' messageCount=\"12\"/></llmQuery>";
  BOOST_TEST(measure(text, XmlFormat::llm_query).content_bytes == 5U + 1U + 2U);
  std::string const spread =
      "<?xml version='1.0'?>\n<llmQuery>\n <userMessage>\u00e9&lt;</userMessage> <!-- no --> "
      "<context topicId = 't' messageCount='1'></context></llmQuery>";
  BOOST_TEST(measure(spread, XmlFormat::llm_query).content_bytes == 6U + 1U + 1U);
  for (char const* bytes :
       {"", "<", "<a", "<a b", "<a b=", "<a b='", "<![CDATA[", "<!--", "</", "<a/", "< >", "<a b=c>"}) {
    BOOST_TEST(measure(bytes, XmlFormat::llm_query).content_bytes <= std::string_view(bytes).size());
  }
}

// The quick look before measuring must miss no mark: documents of random pieces that may hold one anywhere.
BOOST_AUTO_TEST_CASE(a_document_with_bare_marks_is_never_taken_for_one_without) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random(seed);
  constexpr std::string_view pieces[] = {
      "a text of some length", ">",        "<x/>", "<x a='>'/>", "<x>", "</x>", "<!-- < -->", "<!-->-->",
      "<![CDATA[ > < > ]]>",   "<?p > <?>"};
  std::size_t found = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::size_t count = random() % 6; count > 0; --count) text += pieces[random() % std::size(pieces)];
    auto const bytes = response("<response>r" + text + "</response>" + analysis);
    if (!read(bytes)) continue;
    bool const has_marks = !measure(bytes, XmlFormat::llm_response).marks.empty();
    found += has_marks ? 1 : 0;
    BOOST_TEST((!has_marks || may_have_bare_marks(bytes)), "seed " << seed << ": " << bytes);
  }
  BOOST_TEST(found > 0U);
  BOOST_TEST(!may_have_bare_marks(response("<response>r &gt; <!-- > < --></response>" + analysis)));
}

BOOST_AUTO_TEST_CASE(tells_a_bounded_number_of_warnings) {
  auto const document = read(response(repeat("x<a/>", 2000) + "<response>r</response>" + analysis));
  BOOST_TEST_REQUIRE(document.has_value());
  BOOST_TEST(document->warnings.size() == warnings_max);
}

BOOST_AUTO_TEST_CASE(has_one_row_for_each_rule) {
  std::set<std::string_view> names;
  for (RuleInfo const& rule : rules()) {
    BOOST_TEST(names.emplace(rule.name).second, rule.name);
    BOOST_TEST(rule.doc.ends_with("."));
  }
  BOOST_TEST(info(XmlRule::q1).name == "Q1");
  BOOST_TEST(info(XmlRule::q5).name == "Q5");
  BOOST_TEST(info(XmlRule::r1).name == "R1");
  BOOST_TEST(info(XmlRule::r10).name == "R10");
  BOOST_TEST(info(XmlRule::encoding).name == "encoding");
  BOOST_TEST(info(XmlRule::limit).name == "limit");
  BOOST_TEST(!info(XmlRule::limit).is_warning);
  BOOST_TEST(info(XmlRule::name_form).is_warning);
  BOOST_TEST(info(XmlRule::stray_text).name == "stray_text");
}

}  // namespace
}  // namespace whence::schema::xml
