// The tests that the XML contract asks for, each by its name, and corner cases of XML.
#include "tests/schema/xml/xml_documents.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::xml {
namespace {

namespace data = boost::unit_test::data;
using namespace test;

std::filesystem::path const corpus = WHENCE_TEST_DATA "/xml";

std::string file(std::filesystem::path const& path) {
  std::ifstream in{path, std::ios::binary};
  BOOST_TEST_REQUIRE(in.good(), path.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

QueryParts query_parts(std::string_view bytes) {
  auto const document = read(bytes);
  BOOST_TEST_REQUIRE(verdict(document) == "valid");
  return std::get<QueryParts>(document->parts);
}

ResponseParts response_parts(std::string_view bytes) {
  auto const document = read(bytes);
  BOOST_TEST_REQUIRE(verdict(document) == "valid");
  return std::get<ResponseParts>(document->parts);
}

BOOST_AUTO_TEST_CASE(parse_valid_query_xml) {
  QueryParts const expected{.user_message = "How much should we save for college?",
                            .context = {.topic_id = "family-planning-2025",
                                        .message_count = 12,
                                        .active_subjects = {"family planning", "education costs"},
                                        .recent_keywords = {"children", "university", "tuition", "savings"}}};
  BOOST_TEST((query_parts(file(corpus / "valid/query.xml")) == expected));
}

BOOST_AUTO_TEST_CASE(parse_valid_response_xml) {
  ResponseParts const parts = response_parts(file(corpus / "valid/response.xml"));
  BOOST_TEST(parts.response.starts_with("For college savings, financial advisors"));
  SubjectPart const expected{
      .name = "college-savings",
      .description = "Discussion of saving strategies for children's higher education",
      .is_new = true,
      .keywords = {
          {"529-plan", 0.95}, {"tax-advantages", 0.85}, {"education-expenses", 0.9}, {"financial-planning", 0.75}}};
  BOOST_TEST_REQUIRE(parts.analysis.subjects.size() == 1U);
  BOOST_TEST((parts.analysis.subjects[0] == expected));
  BOOST_TEST(parts.analysis.summary_update.starts_with("User asked about college savings amounts."));
  BOOST_TEST(warnings(file(corpus / "valid/response.xml")) == "");
}

std::map<std::string, std::string> const refused = {
    {"bomb.xml", "doctype_forbidden doctype 1:1 /"},
    {"blank.xml", "empty_content R3 1:14 /llmResponse/response"},
    {"confidence.xml", "invalid_attribute R9 1:93 /llmResponse/analysis/subject[1]/keyword[1]/@confidence"},
    {"deep.xml", "limit_exceeded limit 1:203 /llmResponse" + repeat("/a", 64)},
    {"empty.xml", "malformed_xml R1 1:1 /"},
    {"entity.xml", "malformed_xml R1 1:30 /llmResponse/response"},
    {"external.xml", "doctype_forbidden doctype 2:1 /"},
    {"latin1.xml", "unsupported_encoding encoding 1:1 /"},
    {"not_utf8.xml", "unsupported_encoding encoding 1:24 /"},
    {"not_xml.xml", "malformed_xml R1 1:1 /"},
    {"prose.xml", "malformed_xml R1 1:1 /"},
    {"two_marks.xml", "malformed_xml R1 1:1 /"},
    {"two_roots.xml", "malformed_xml R1 1:87 /"},
    {"unbound_prefix.xml", "malformed_xml R1 1:14 /llmResponse"},
    {"utf16.xml", "unsupported_encoding encoding 1:1 /"},
    {"version_1_1.xml", "unsupported_encoding encoding 1:1 /"},
    {"wrong_root.xml", "missing_element R2 1:1 /html"},
    {"zero_behind_root.xml", "unsupported_encoding encoding 1:87 /"},
};
BOOST_AUTO_TEST_CASE(accepts_and_refuses_the_corpus) {
  std::size_t count = 0;
  for (auto const& entry : std::filesystem::directory_iterator{corpus / "valid"}) {
    BOOST_TEST(verdict(file(entry.path())) == "valid", entry.path().string());
  }
  for (auto const& entry : std::filesystem::directory_iterator{corpus / "invalid"}) {
    std::string const name = entry.path().filename().string();
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST_REQUIRE(refused.contains(name));
      BOOST_TEST(verdict(file(entry.path())) == refused.at(name));
    }
    ++count;
  }
  BOOST_TEST(count == refused.size());
}

std::string const tail = "<analysis><summaryUpdate/></analysis>";
std::string in_response(std::string const& text) {
  return response("<response>" + text + "</response>" + tail);
}

struct Malformed {
  std::string name;
  std::string bytes;
};
std::ostream& operator<<(std::ostream& out, Malformed const& each) {
  return out << each.name;
}
std::string const good = in_response("r");
std::vector<Malformed> const malformed = {
    {"white_only", " \n "},
    {"text_before", "x" + good},
    {"text_behind", good + "x"},
    {"second_root", good + "<a/>"},
    {"reference_behind", good + "&#32;"},
    {"doctype_behind", good + "<!DOCTYPE llmResponse>"},
    {"doctype_inside", response("<!DOCTYPE a>")},
    {"doctype_in_lower_case", "<!doctype llmResponse>" + good},
    {"cdata_outside", "<![CDATA[x]]>" + good},
    {"unclosed", "<llmResponse><response>r"},
    {"crossed", "<llmResponse><response>r</llmResponse></response>"},
    {"unquoted_attribute", "<llmResponse a=1/>"},
    {"valueless_attribute", "<llmResponse a/>"},
    {"attribute_twice", "<llmResponse a=\"1\" a=\"2\"/>"},
    {"attributes_touch", "<llmResponse a=\"1\"b=\"2\"/>"},
    {"less_than_in_attribute", "<llmResponse a=\"<\"/>"},
    {"undefined_entity", in_response("&nbsp;")},
    {"undefined_entity_in_attribute", "<llmResponse a=\"&x;\"/>"},
    {"unterminated_entity", in_response("&amp")},
    {"bare_ampersand", in_response("a & b")},
    {"reference_to_nothing", in_response("&#;")},
    {"reference_to_zero", in_response("&#0;")},
    {"reference_to_control", in_response("&#1;")},
    {"reference_to_surrogate", in_response("&#xD800;")},
    {"reference_to_ffff", in_response("&#xFFFF;")},
    {"reference_too_large", in_response("&#x110000;")},
    {"reference_that_wraps", in_response("&#4294967361;")},
    {"reference_with_upper_x", in_response("&#X41;")},
    {"control_character", in_response("\x01")},
    {"fffe", in_response("\xEF\xBF\xBE")},
    {"ffff", in_response("\xEF\xBF\xBF")},
    {"cdata_end", in_response("]]>")},
    {"unclosed_cdata", in_response("<![CDATA[x]]")},
    {"hyphens_in_comment", in_response("<!-- -- -->")},
    {"unclosed_comment", "<!-- " + good},
    {"unclosed_instruction", "<?p " + good},
    {"instruction_named_xml", in_response("<?xml version=\"1.0\"?>")},
    {"instruction_with_colon", in_response("<?a:b?>")},
    {"declaration_not_first", "\n<?xml version=\"1.0\"?>" + good},
    {"declaration_twice", "<?xml version=\"1.0\"?><?xml version=\"1.0\"?>" + good},
    {"declaration_without_version", "<?xml encoding=\"UTF-8\"?>" + good},
    {"declaration_in_wrong_order", "<?xml version=\"1.0\" standalone=\"no\" encoding=\"UTF-8\"?>" + good},
    {"declaration_standalone_maybe", "<?xml version=\"1.0\" standalone=\"maybe\"?>" + good},
    {"declaration_without_spaces", "<?xml version=\"1.0\"encoding=\"UTF-8\"?>" + good},
    {"declaration_unclosed", "<?xml version=\"1.0\"" + good},
    {"declaration_empty_encoding", "<?xml version=\"1.0\" encoding=\"\"?>" + good},
    {"bad_name", "<1/>"},
    {"space_before_name", "< llmResponse/>"},
    {"mark_twice", "\xEF\xBB\xBF\xEF\xBB\xBF" + good},
    {"mark_behind", good + "\xEF\xBB\xBF"},
    {"element_prefix_unbound", in_response("r<x:y/>")},
    {"attribute_prefix_unbound", in_response("r<y x:a=\"\"/>")},
    {"prefix_out_of_scope", in_response("r<y xmlns:x=\"n\"/><x:z/>")},
    {"attribute_twice_by_namespace", in_response("r<y xmlns:a=\"n\" xmlns:b=\"n\" a:c=\"\" b:c=\"\"/>")},
    {"prefix_for_nothing", in_response("r<y xmlns:x=\"\"/>")},
    {"prefix_xmlns_declared", in_response("r<y xmlns:xmlns=\"n\"/>")},
    {"prefix_xmlns_used", in_response("r<xmlns:y/>")},
    {"prefix_xml_for_another", in_response("r<y xmlns:xml=\"n\"/>")},
    {"another_prefix_for_xml", in_response("r<y xmlns:x=\"http://www.w3.org/XML/1998/namespace\"/>")},
    {"default_for_xml", in_response("r<y xmlns=\"http://www.w3.org/XML/1998/namespace\"/>")},
    {"two_colons", in_response("r<a:b:c xmlns:a=\"n\"/>")},
    {"colon_first", in_response("r<:a/>")},
    {"colon_last", in_response("r<a: xmlns:a=\"n\"/>")},
    {"bad_local_name", in_response("r<a:1 xmlns:a=\"n\"/>")},
};
BOOST_DATA_TEST_CASE(reject_malformed_xml, data::make(malformed), each) {
  auto const result = read(each.bytes);
  BOOST_TEST_REQUIRE(!result.has_value());
  BOOST_TEST(result.error().code == Errc::invalid_xml);
  BOOST_TEST(result.error().violations.at(0).xml->error == "malformed_xml");
  BOOST_TEST(result.error().violations.at(0).rule == "R1");
  BOOST_TEST(!result.error().message.empty());
}

BOOST_AUTO_TEST_CASE(reject_missing_required_elements) {
  BOOST_TEST(verdict("<llmQuery/>") == "missing_element Q3 1:1 /llmQuery/userMessage");
  BOOST_TEST(verdict(query("<userMessage>u</userMessage>")) == "missing_element Q4 1:39 /llmQuery/context");
  BOOST_TEST(verdict("<llmResponse/>") == "missing_element R3 1:1 /llmResponse/response");
  BOOST_TEST(verdict(response("<response>r</response>")) == "missing_element R4 1:36 /llmResponse/analysis");
  BOOST_TEST(verdict(response("<analysis/>")) == "missing_element R10 1:14 /llmResponse/analysis/summaryUpdate");
}

BOOST_AUTO_TEST_CASE(reject_invalid_attribute_types) {
  auto const error_of = [](std::string const& bytes) { return read(bytes).error().violations.at(0).xml->error; };
  BOOST_TEST(error_of(query("<context topicId=\"t\" messageCount=\"twelve\"/>")) == "invalid_attribute");
  BOOST_TEST(error_of(response_of("<subject name=\"a\" description=\"d\" isNew=\"yes\"/>")) == "invalid_attribute");
  BOOST_TEST(error_of(response_of(subject(keyword("high")))) == "invalid_attribute");
}

BOOST_AUTO_TEST_CASE(validate_confidence_range) {
  for (auto const* inside : {"0.0", "1.0", "0", "1", "-0", "0.5", "1e-1", "1e-400"}) {
    BOOST_TEST(verdict(response_of(subject(keyword(inside)))) == "valid", inside);
  }
  for (auto const* outside : {"1.0001", "-0.0001", "2", "INF", "NaN", "", " 0.5", "1e400"}) {
    BOOST_TEST(verdict(response_of(subject(keyword(outside)))).starts_with("invalid_attribute R9 "), outside);
  }
}

BOOST_AUTO_TEST_CASE(handle_empty_optional_elements) {
  auto const parts = query_parts(query_of("<activeSubjects/><recentKeywords> , </recentKeywords>"));
  BOOST_TEST((parts.context.active_subjects.empty() && parts.context.recent_keywords.empty()));
  auto const empty = response_parts(response_of(subject()));
  BOOST_TEST(empty.analysis.subjects.at(0).keywords.empty());
  BOOST_TEST(empty.analysis.summary_update == "");
}

BOOST_AUTO_TEST_CASE(escape_special_characters_correctly) {
  std::string const special = "<a href=\"x\">it's</a> & &amp; ]]> \r\n\t";
  ResponseParts parts;
  parts.response = special;
  parts.analysis.subjects = {{.name = "n", .description = special, .is_new = true}};
  parts.analysis.summary_update = special;
  auto const written = write(parts);
  BOOST_TEST_REQUIRE(written.has_value());
  BOOST_TEST(written->find("description=\"&lt;a href=&quot;x&quot;&gt;it&apos;s&lt;/a&gt; &amp; &amp;amp; ]]&gt; "
                           "&#13;&#10;&#9;\"") != std::string::npos);
  BOOST_TEST((response_parts(*written) == parts));
}

BOOST_AUTO_TEST_CASE(utf8_encoding_preservation) {
  std::string const text = "\u00e9\u20ac\U0001F600\U0010FFFF\u0085\u2028\uFDD0\uFFFD\uFEFF\x7F";
  BOOST_TEST(response_parts(in_response(text)).response == text);
  BOOST_TEST(response_parts(in_response("&#xE9;&#8364;&#x1F600;")).response == "\u00e9\u20ac\U0001F600");
}

struct TextCase {
  std::string name;
  std::string written;
  std::string read;
};
std::ostream& operator<<(std::ostream& out, TextCase const& each) {
  return out << each.name;
}
std::vector<TextCase> const texts = {
    {"untrimmed", " a\n ", " a\n "},
    {"line_ends", "a\r\nb\rc\nd", "a\nb\nc\nd"},
    {"referenced_line_ends", "a&#13;&#10;b&#xD;c", "a\r\nb\rc"},
    {"cdata", "a<![CDATA[<b>&amp;]]>c", "a<b>&amp;c"},
    {"two_cdata", "a<![CDATA[]]]]><![CDATA[>]]>", "a]]>"},
    {"comment", "a<!-- b -->c", "ac"},
    {"instruction", "a<?b c?>d", "ad"},
    {"unknown_elements", "a<b>c<d>e</d></b>f<g/>h", "afh"},
    {"known_in_unknown", "a<b><response>c</response><llmQuery/></b>d", "ad"},
    {"of_the_other_document", "a<userMessage>c</userMessage>d", "ad"},
    {"entities", "&lt;&gt;&amp;&quot;&apos;", "<>&\"'"},
};
BOOST_DATA_TEST_CASE(keeps_text_as_xml_says, data::make(texts), each) {
  BOOST_TEST(response_parts(in_response(each.written)).response == each.read);
}

BOOST_AUTO_TEST_CASE(normalises_attributes_as_xml_says) {
  auto const of = [](std::string const& topic) {
    return query_parts(query("<userMessage>u</userMessage><context messageCount='1' topicId='" + topic + "'/>"))
        .context.topic_id;
  };
  BOOST_TEST(of(" a\tb\nc\r\nd ") == " a b c d ");
  BOOST_TEST(of("a&#9;b&#10;c&#13;d&#32;") == "a\tb\nc\rd ");
  BOOST_TEST(of("&quot;\"&apos;") == "\"\"'");
}

BOOST_AUTO_TEST_CASE(keeps_a_text_longer_than_any_buffer) {
  std::string text;
  while (text.size() < 900'000) text += "ascii \u00e9\u20ac\U0001F600 ";
  BOOST_TEST((response_parts(in_response(text)).response == text));
}

struct Accepted {
  std::string name;
  std::string bytes;
};
std::ostream& operator<<(std::ostream& out, Accepted const& each) {
  return out << each.name;
}
std::vector<Accepted> const accepted = {
    {"mark", "\xEF\xBB\xBF" + good},
    {"mark_and_declaration", "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + good},
    {"declaration", "<?xml version=\"1.0\"?>" + good},
    {"single_quotes", "<?xml version='1.0' encoding='utf-8'?>" + good},
    {"utf8", "<?xml version=\"1.0\" encoding=\"utf8\"?>" + good},
    {"mixed_case", "<?xml version=\"1.0\" encoding=\"Utf-8\" standalone=\"yes\"?>" + good},
    {"spaces", "<?xml \n version = \"1.0\"\tencoding\n=\"UTF-8\"  ?>" + good},
    {"around_the_root", "<!-- <!DOCTYPE a> --> <?p <!DOCTYPE?>\n" + good + "\n<!-- b --><?q?>\n"},
    {"stylesheet", "<?xml-stylesheet href=\"file:///nowhere\"?>" + good},
    {"crlf", "<llmResponse>\r\n<response>r</response>\r\n" + tail + "\r\n</llmResponse>\r\n"},
    {"default_namespace", "<llmResponse xmlns=\"n\"><response>r</response>" + tail + "</llmResponse>"},
    {"xml_attributes",
     "<llmResponse xml:lang=\"en\" xml:space=\"odd\" xmlns:xml=\"http://www.w3.org/XML/1998/namespace\">"
     "<response>r</response>" +
         tail + "</llmResponse>"},
    {"schema_hint",
     "<llmResponse xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
     "xsi:noNamespaceSchemaLocation=\"http://127.0.0.1:9/x.xsd\"><response>r</response>" +
         tail + "</llmResponse>"},
    {"include", in_response("r<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"file:///etc/passwd\"/>")},
    {"rebound_prefix", in_response("r<y xmlns:x=\"n\"><z xmlns:x=\"m\"/><x:w x:a=\"\" a=\"\"/></y>")},
    {"two_prefixes_two_namespaces", in_response("r<y xmlns:a=\"n\" xmlns:b=\"m\" a:c=\"\" b:c=\"\"/>")},
    {"undeclared_default", in_response("r<y xmlns=\"n\"><z xmlns=\"\"/></y>")},
    {"known_name_with_prefix", in_response("r<x:response xmlns:x=\"n\"/>")},
    {"known_name_in_other_case", in_response("r<Response/>")},
    {"noncharacters", in_response("\uFDD0\U0001FFFE")},
};
BOOST_DATA_TEST_CASE(accepts_what_xml_allows, data::make(accepted), each) {
  BOOST_TEST(verdict(each.bytes) == "valid");
}

std::vector<Malformed> const encodings = {
    {"latin1_declared", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + good},
    {"ascii_declared", "<?xml version=\"1.0\" encoding='US-ASCII'?>" + good},
    {"utf16_declared", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + good},
    {"utf7_declared", "<?xml version=\"1.0\" encoding = \"UTF-7\"?>" + good},
    {"unknown_declared", "<?xml version=\"1.0\" encoding=\"utf-8 \"?>" + good},
    {"declared_behind_mark", "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"latin1\"?>" + good},
    {"version_1_1", "<?xml version=\"1.1\"?>" + good},
    {"version_1_2", "<?xml version='1.2' encoding='UTF-8'?>" + good},
    {"utf16_big", std::string("\xFE\xFF\0<\0a", 6)},
    {"utf16_little", std::string("\xFF\xFE<\0a\0", 6)},
    {"utf16_without_mark", std::string("<\0l\0", 4)},
    {"utf32", std::string("\0\0\xFE\xFF\0\0\0<", 8)},
    {"ebcdic", "\x4C\x6F\xA7\x94"},
    {"zero_behind_root", good + std::string(1, '\0')},
    {"zero_in_text", in_response(std::string("a\0b", 3))},
    {"overlong", in_response("\xC0\xBC")},
    {"overlong_slash", in_response("\xE0\x80\xAF")},
    {"surrogate", in_response("\xED\xA0\x80")},
    {"surrogate_pair", in_response("\xED\xA0\xBD\xED\xB8\x80")},
    {"beyond_unicode", in_response("\xF4\x90\x80\x80")},
    {"cut_at_the_end", good + "\xE2\x82"},
    {"lone_continuation", "\x80" + good},
    {"latin1_bytes", in_response("caf\xE9")},
};
BOOST_DATA_TEST_CASE(reads_nothing_but_utf8, data::make(encodings), each) {
  auto const result = read(each.bytes);
  BOOST_TEST_REQUIRE(!result.has_value());
  BOOST_TEST(result.error().violations.at(0).xml->error == "unsupported_encoding");
  BOOST_TEST(result.error().violations.at(0).rule == "encoding");
}

BOOST_AUTO_TEST_CASE(counts_columns_in_characters_and_lines_as_xml_does) {
  BOOST_TEST(verdict("\xEF\xBB\xBF<wrong/>") == "missing_element R2 1:1 /wrong");
  BOOST_TEST(verdict("<!-- \U0001F600\u00e9 -->\r\n\r<!--\n\U0001F600--><wrong/>") == "missing_element R2 4:5 /wrong");
  BOOST_TEST(verdict(response("<response>\U0001F600\U0001F600</response>\n\t<subject a='\u00e9\n>'/>")) ==
             "misplaced_element R5 2:2 /llmResponse/subject[1]");
}

BOOST_AUTO_TEST_CASE(a_refused_document_leaves_no_trace) {
  for (auto const& each : malformed) {
    BOOST_TEST(!read(each.bytes).has_value());
    BOOST_TEST(verdict(good) == "valid", each.name);
  }
  BOOST_TEST(verdict(in_response("r<x:y/>")).starts_with("malformed_xml"));
}

BOOST_AUTO_TEST_CASE(threads_read_at_the_same_time) {
  std::vector<std::string> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& each : found) {
      threads.emplace_back([&each] {
        for (int i = 0; i < 200; ++i) each = verdict(i % 2 == 0 ? good : in_response("&x;"));
      });
    }
  }
  for (std::string const& each : found) BOOST_TEST(each == "malformed_xml R1 1:27 /llmResponse/response");
}

}  // namespace
}  // namespace whence::schema::xml
