// Citations: what a bracket in an answer's text means, to the byte.
#include "schema/records/retrieval/citation.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

namespace data = boost::unit_test::data;

Retrieval page(std::string id, std::string document, std::int64_t number, double similarity) {
  return {.chunk_id = std::move(id),
          .metadata = {.document_name = std::move(document), .page_number = number},
          .similarity = similarity};
}
Retrieval section(std::string id, std::string document, std::string name, double similarity) {
  return {.chunk_id = std::move(id),
          .metadata = {.document_name = std::move(document), .section = std::move(name)},
          .similarity = similarity};
}
Retrieval plain(std::string id, std::string document, double similarity) {
  return {.chunk_id = std::move(id), .metadata = {.document_name = std::move(document)}, .similarity = similarity};
}

/// The retrievals of the example.
std::vector<Retrieval> usual() {
  auto p5 = page("p5", "safety_manual.pdf", 5, 0.9);
  p5.metadata.section = "Chemical Handling";
  return {p5, section("r1", "house rules, 2nd [draft].md", "1, Doors [main]", 0.8), plain("b1", "notes", 0.8),
          page("p6", "safety_manual.pdf", 6, 0.7)};
}

/// Ids of the chunks cited, then the first unsupported bracket behind "!".
std::string meaning(std::string_view text, std::vector<Retrieval> const& retrievals) {
  auto const found = find_citations(text, retrievals);
  std::string result;
  for (auto const place : found.retrievals) {
    result.append(result.empty() ? "" : " ").append(retrievals.at(place).chunk_id);
  }
  if (found.unsupported) result.append(" !").append(*found.unsupported);
  return result;
}

struct Text {
  std::string text;
  std::string means;
};
std::ostream& operator<<(std::ostream& out, Text const& each) {
  return out << each.text.substr(0, 60);
}

std::string const zeros_25(25, '0');

std::vector<Text> const usual_texts = {
    {"", ""},
    {"no citation at all", ""},
    {"[safety_manual.pdf, page 5]", "p5"},
    {"[safety_manual.pdf, section Chemical Handling]", "p5"},
    {"[safety_manual.pdf]", "p5"},
    {"[safety_manual.pdf, p.5]", "p5"},  // as the prompt names it
    {"[house rules, 2nd [draft].md, 1, Doors [main]]", "r1"},
    {"[safety_manual.pdf, page 6], then [safety_manual.pdf, page 5]", "p6 p5"},
    {"[safety_manual.pdf, page 5][safety_manual.pdf][safety_manual.pdf, section Chemical Handling]", "p5"},
    {"[house rules, 2nd [draft].md]", "r1"},
    {"[house rules, 2nd [draft].md, section 1, Doors [main]]", "r1"},
    {"[notes][safety_manual.pdf, page 6]", "b1 p6"},
    // Plain text.
    {R"(\[not a citation])", ""},
    {R"(\[notes])", ""},
    {R"(\\[notes])", ""},
    {R"(\[see [notes]])", "b1"},
    {R"(\[\[[notes])", "b1"},
    {"[", ""},
    {"[[[", ""},
    {"]", ""},
    {"]]notes]", ""},
    {"[notes", ""},
    {"[notes, page 5", ""},
    {"[notes] and [", "b1"},
    {"[notes] and [notes", "b1"},
    // Unsupported.
    {"[safety_manual.pdf, page 7]", " ![safety_manual.pdf, page 7]"},
    {"[notes, page 5]", " ![notes, page 5]"},
    {"[made_up.pdf]", " ![made_up.pdf]"},
    {"[safety_manual.pdf, p. 5]", " ![safety_manual.pdf, p. 5]"},
    {"[safety_manual.pdf, p.7]", " ![safety_manual.pdf, p.7]"},
    {"[Notes]", " ![Notes]"},
    {"[sic]", " ![sic]"},
    {"[1]", " ![1]"},
    {"[]", " ![]"},
    {"[ notes]", " ![ notes]"},
    {"[notes ]", " ![notes ]"},
    {"[notes,page 5]", " ![notes,page 5]"},
    {"[notes, section Chemical Handling]", " ![notes, section Chemical Handling]"},
    {"[safety_manual.pdf, section Chemical]", " ![safety_manual.pdf, section Chemical]"},
    {"[safety_manual.pdf, section ]", " ![safety_manual.pdf, section ]"},
    {"[safety_manual.pdf, section chemical handling]", " ![safety_manual.pdf, section chemical handling]"},
    {"[safety_manual.pdf, section Chemical Handling, page 5]",
     " ![safety_manual.pdf, section Chemical Handling, page 5]"},
    {"[house rules, 2nd [draft].md, section 1, Doors [main]",
     " ![house rules, 2nd [draft]"},  // the section's own bracket is not closed
    {"[house rules, 2nd [draft]]", " ![house rules, 2nd [draft]"},
    {"[a [notes]", " ![a [notes]"},
    {"[sic] [notes] [1]", "b1 ![sic]"},
    {"[notes\n]", " ![notes\n]"},
    // Pages.
    {"[safety_manual.pdf, page 05]", "p5"},
    {"[safety_manual.pdf, page " + zeros_25 + "00005]", "p5"},
    {"[safety_manual.pdf, page 5" + zeros_25 + "0000]", " ![safety_manual.pdf, page 5" + zeros_25 + "0000]"},
    {"[safety_manual.pdf, page 18446744073709551621]", " ![safety_manual.pdf, page 18446744073709551621]"},
    {"[safety_manual.pdf, page 5.0]", " ![safety_manual.pdf, page 5.0]"},
    {"[safety_manual.pdf, page +5]", " ![safety_manual.pdf, page +5]"},
    {"[safety_manual.pdf, page -5]", " ![safety_manual.pdf, page -5]"},
    {"[safety_manual.pdf, page  5]", " ![safety_manual.pdf, page  5]"},
    {"[safety_manual.pdf, page 5 ]", " ![safety_manual.pdf, page 5 ]"},
    {"[safety_manual.pdf, page ]", " ![safety_manual.pdf, page ]"},
    {"[safety_manual.pdf, page]", " ![safety_manual.pdf, page]"},
    {"[safety_manual.pdf, page 0x5]", " ![safety_manual.pdf, page 0x5]"},
    {"[safety_manual.pdf, page \u0665]", " ![safety_manual.pdf, page \u0665]"},
    {"[safety_manual.pdf, Page 5]", " ![safety_manual.pdf, Page 5]"},
};
BOOST_DATA_TEST_CASE(reads_citations, data::make(usual_texts), each) {
  BOOST_TEST(meaning(each.text, usual()) == each.means);
}

/// Names that begin alike, and names made of what citations are made of.
std::vector<Retrieval> similar() {
  return {page("a2", "a", 2, 0.5),
          page("a12", "a", 12, 0.5),
          plain("ap2", "a, page 2", 0.1),
          page("ap2_7", "a, page 2", 7, 0.2),
          section("as12", "a", "12", 0.3),
          plain("as1", "a, section 1", 0.9),
          section("x", "x", "S", 0.4),
          section("x_long", "x", "S] and [x, section T", 0.4),
          section("x_empty", "x", "", 0.4),
          plain("bracket", "y]", 0.4),
          plain("y", "y", 0.4),
          plain("open", "[z", 0.4),
          plain("escape", "\\[w", 0.4),
          plain("emoji", "\U0001F600\u00e9", 0.4),
          plain("composed", "e\u0301", 0.4),
          plain("first", "first", 0.4),
          page("huge", "huge", 9'007'199'254'740'991, 0.4),
          page("zero", "huge", 0, 0.3)};
}

std::vector<Text> const similar_texts = {
    {"[a]", "a12"},
    {"[a, page 2]", "ap2_7"},  // the document of that name, longest first; its best chunk
    {"[a, page 12]", "a12"},
    {"[a, page 2, page 7]", "ap2_7"},
    {"[a, page 2, page 2]", " ![a, page 2, page 2]"},
    {"[a, page 02]", "a2"},
    {"[a, section 1]", "as1"},
    {"[a, section 12]", "as12"},
    {"[a, section 1]2]", "as1"},
    {"[x, section S]", "x"},
    {"[x, section S] and [x, section T]", "x_long"},
    {"[x, section S] and [x, section U]", "x ![x, section U]"},
    {"[x, section ]", "x_empty"},
    {"[y]]", "bracket"},
    {"[y]", "y"},
    {"[y] ]", "y"},
    {"[[z]", "open"},
    {"[[[z]", " ![[[z]"},
    {R"([\[w])", "escape"},
    {"[\U0001F600\u00e9]", "emoji"},
    {"[\U0001F600e\u0301]", " ![\U0001F600e\u0301]"},
    {"[e\u0301]", "composed"},
    {"[\u00e9]", " ![\u00e9]"},
    {"[firs]", " ![firs]"},
    {"[firstly]", " ![firstly]"},
    {"[huge, page 9007199254740991]", "huge"},
    {"[huge, page 0]", "zero"},
    {"[huge, page 00]", "zero"},
};
BOOST_DATA_TEST_CASE(tries_the_longest_name_first, data::make(similar_texts), each) {
  BOOST_TEST(meaning(each.text, similar()) == each.means);
}

BOOST_AUTO_TEST_CASE(supports_nothing_where_nothing_was_retrieved) {
  BOOST_TEST(meaning("[notes] [sic]", {}) == " ![notes]");
  BOOST_TEST(meaning(R"(\[notes] [)", {}) == "");
}

BOOST_AUTO_TEST_CASE(means_the_most_similar_chunk_then_the_least_id) {
  BOOST_TEST(meaning("[d]", {plain("b", "d", 0.5), plain("c", "d", 0.75), plain("a", "d", 0.5)}) == "c");
  BOOST_TEST(meaning("[d]", {plain("b", "d", 0.5), plain("a", "d", 0.5), plain("c", "d", 0.5)}) == "a");
  BOOST_TEST(meaning("[d]", {plain("a2", "d", 0.5), plain("a10", "d", 0.5)}) == "a10");  // in byte order
  BOOST_TEST(meaning("[d]", {plain("a", "d", 0.5), plain("B", "d", 0.5)}) == "B");
  BOOST_TEST(meaning("[d, page 1]", {page("b", "d", 1, 0.5), page("a", "d", 1, 0.5), page("c", "d", 2, 0.9)}) == "a");
  BOOST_TEST(meaning("[d, section s]", {section("b", "d", "s", 0.5), section("a", "d", "s", 0.6)}) == "a");
}

BOOST_AUTO_TEST_CASE(means_any_chunk_of_the_document_also_where_pages_are_known) {
  BOOST_TEST(meaning("[d]", {page("b", "d", 1, 0.5), plain("a", "d", 0.4)}) == "b");
}

// Looking for the end of each of these anew would take hours.
BOOST_AUTO_TEST_CASE(reads_many_brackets_without_an_end_in_one_pass) {
  std::string escaped;
  for (int i = 0; i < 4'000'000; ++i) escaped.append("\\[");
  BOOST_TEST(meaning(std::string(4'000'000, '['), usual()) == "");
  BOOST_TEST(meaning(escaped + "]", usual()) == "");
}

struct Given {
  std::string name;
  Citation citation;
  std::string means;
};
std::ostream& operator<<(std::ostream& out, Given const& each) {
  return out << each.name;
}

std::vector<Given> const given_citations = {
    {"document", {.document_name = "safety_manual.pdf"}, "p5"},
    {"page", {.document_name = "safety_manual.pdf", .page_number = 6}, "p6"},
    {"section", {.document_name = "safety_manual.pdf", .section = "Chemical Handling"}, "p5"},
    {"page_and_section",
     {.document_name = "safety_manual.pdf", .page_number = 5, .section = "Chemical Handling"},
     "p5"},
    {"page_of_another_section",
     {.document_name = "safety_manual.pdf", .page_number = 6, .section = "Chemical Handling"},
     ""},
    {"unknown_page", {.document_name = "safety_manual.pdf", .page_number = 7}, ""},
    {"page_of_a_document_without", {.document_name = "notes", .page_number = 0}, ""},
    {"unknown_document", {.document_name = "made_up.pdf"}, ""},
    {"chunk", {.document_name = "safety_manual.pdf", .chunk_id = "p6"}, "p6"},
    {"chunk_of_another_document", {.document_name = "notes", .chunk_id = "p6"}, ""},
    {"unknown_chunk", {.document_name = "notes", .chunk_id = "p9"}, ""},
};
BOOST_DATA_TEST_CASE(finds_the_chunk_of_a_given_citation, data::make(given_citations), each) {
  auto const retrievals = usual();
  auto const found = find_cited(each.citation, retrievals);
  BOOST_TEST((found ? retrievals.at(*found).chunk_id : "") == each.means);
}

BOOST_AUTO_TEST_CASE(cites_the_place_and_the_beginning_of_a_chunk) {
  auto chunk = page("p5", "safety_manual.pdf", 5, 0.9);
  chunk.metadata.section = "Chemicals";
  chunk.content = "Wear gloves.";
  BOOST_TEST((citation_of(chunk) == Citation{.document_name = "safety_manual.pdf",
                                             .excerpt = "Wear gloves.",
                                             .page_number = 5,
                                             .section = "Chemicals",
                                             .chunk_id = "p5"}));
}

BOOST_AUTO_TEST_CASE(cuts_excerpts_after_200_code_points) {
  std::string content;
  for (int i = 0; i < 199; ++i) content.append("\U0001F600");
  auto chunk = plain("c", "d", 1);
  for (std::string const rest : {"", "\u20ac"}) {
    chunk.content = content + rest;
    BOOST_TEST(citation_of(chunk).excerpt == chunk.content);
  }
  chunk.content = content + "\u20ac\u00e9x";
  BOOST_TEST(citation_of(chunk).excerpt == content + "\u20ac");
}

std::vector<Retrieval> of_similarities(std::vector<double> const& similarities) {
  std::vector<Retrieval> retrievals;
  for (auto const each : similarities) retrievals.push_back(plain("c", "d", each));
  return retrievals;
}

BOOST_AUTO_TEST_CASE(is_as_confident_as_the_mean_in_the_order_given) {
  BOOST_TEST(confidence_of({}).value() == 0.0);
  std::vector<Retrieval> of_no_similarity(2);
  BOOST_TEST(!confidence_of(of_no_similarity).has_value());
  of_no_similarity.back().similarity = 0.25;
  BOOST_TEST(confidence_of(of_no_similarity).value() == 0.25);
  BOOST_TEST(confidence_of(of_similarities({0.9, 0.8, 0.8, 0.7})).value() == 0.8);
  BOOST_TEST(confidence_of(of_similarities({0.75, 0.25})).value() == 0.5);
  BOOST_TEST(confidence_of(of_similarities({0.75, 0.2499999})).value() ==
             0.49999994999999997);  // binary64 of 0.49999995
  BOOST_TEST(confidence_of(of_similarities({0.3, 0.2, 0.1})).value() == (0.3 + 0.2 + 0.1) / 3);
  BOOST_TEST(confidence_of(of_similarities({0.1, 0.2, 0.3})).value() == (0.1 + 0.2 + 0.3) / 3);
  BOOST_TEST(confidence_of(of_similarities({0.1, 0.2, 0.3})).value() !=
             confidence_of(of_similarities({0.3, 0.2, 0.1})).value());
}

BOOST_AUTO_TEST_CASE(formats_chunks_as_a_prompt_shows_them) {
  auto retrievals = usual();
  retrievals[0].content = "All personnel.";
  retrievals[1].content = "Close [the] doors.";
  retrievals[2].content = "two\nlines";
  BOOST_TEST(format_context(retrievals) ==
             "Context 1 [safety_manual.pdf, p.5]: All personnel.\n"
             "Context 2 [house rules, 2nd [draft].md, 1, Doors [main]]: Close [the] doors.\n"
             "Context 3 [notes]: two\nlines\n"
             "Context 4 [safety_manual.pdf, p.6]: ");
  BOOST_TEST(format_context({}) == "");
  std::vector<Retrieval> const first = {page("c", "d", 0, 1)};
  BOOST_TEST(format_context(first) == "Context 1 [d, p.0]: ");
}

BOOST_AUTO_TEST_CASE(says_what_was_not_found_in_one_form) {
  BOOST_TEST(not_found_message == "Information not found in the knowledge base.");
}

BOOST_AUTO_TEST_CASE(finds_excerpts_with_white_space_folded_and_an_ellipsis_left_away) {
  std::string_view const content = "All personnel\n must\u00a0wear  gloves... always.";
  for (auto const* excerpt : {"All personnel must wear", "  wear gloves...\talways. ", "must wear ...", "wear\u2026",
                              "", "...", "All personnel\n must\u00a0wear  gloves... always."}) {
    BOOST_TEST(is_excerpt(excerpt, content), excerpt);
  }
  for (auto const* excerpt :
       {"all personnel", "mustwear", "...must", "must wear hats...", "always. Ever", "wear......"}) {
    BOOST_TEST(!is_excerpt(excerpt, content), excerpt);
  }
  BOOST_TEST(!is_excerpt("x", ""));
  BOOST_TEST(is_excerpt("", ""));
}

}  // namespace
}  // namespace whence::schema
