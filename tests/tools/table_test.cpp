// Tables: what terminals show, and what they must never be sent.

#include "tools/cli/output/table.hpp"

#include "net/plain_text/shown.hpp"

#include <ostream>
#include <sstream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace whence;
using namespace whence::tools;

namespace {

struct ShownCase {
  std::string_view name;
  std::string_view text;
  std::string_view expected;
};
std::ostream& operator<<(std::ostream& out, ShownCase const& each) {
  return out << each.name;
}

constexpr ShownCase shown_cases[] = {
    {"plain", "cu_1", "cu_1"},
    {"umlaut", "Größe", "Größe"},
    {"line_breaks_and_tab", "a\nb\r\tc", "a\\nb\\r\\tc"},
    {"escape_sequence", "\x1b[31mred", "\\u001b[31mred"},
    {"delete", "a\x7f", "a\\u007f"},
    {"c1_control", "\u009b31m", "\\u009b31m"},
    {"right_to_left_override", "a\u202eb", "a\\u202eb"},
    {"ill_formed_byte", "a\xff", "a\ufffd"},
    {"cut_sequence", "a\xe2\x82", "a\ufffd\ufffd"},
};

struct WidthCase {
  std::string_view name;
  std::string_view text;
  std::size_t expected;
};
std::ostream& operator<<(std::ostream& out, WidthCase const& each) {
  return out << each.name;
}

constexpr WidthCase width_cases[] = {
    {"empty", "", 0},         {"ascii", "abc", 3}, {"accented", "é", 1}, {"combining", "e\u0301", 1},
    {"cjk", "漢字", 4},       {"hangul", "한", 2}, {"emoji", "🚀", 2},    {"emoji_with_selector", "❤\ufe0f", 1},
    {"box_drawing", "├─", 2},
};

std::string printed(Table const& table, std::size_t columns = 0, bool has_colour = false) {
  std::istringstream in;
  std::ostringstream data;
  std::ostringstream talk;
  Io io{.in = in, .data = data, .talk = talk, .has_colour = has_colour, .columns = columns};
  table.print(io);
  return data.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(table)

BOOST_DATA_TEST_CASE(writes_out_what_could_steer_a_terminal, boost::unit_test::data::make(shown_cases), sample) {
  BOOST_TEST(net::plain_text::shown(sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(counts_terminal_columns, boost::unit_test::data::make(width_cases), sample) {
  BOOST_TEST(net::plain_text::display_width(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(fits_text_into_columns) {
  BOOST_TEST(net::plain_text::fit("abcdef", 6) == "abcdef");
  BOOST_TEST(net::plain_text::fit("abcdef", 5) == "abcd\u2026");
  BOOST_TEST(net::plain_text::fit("漢字漢字", 5) == "漢字\u2026");
  BOOST_TEST(net::plain_text::fit("漢字漢字", 4) == "漢\u2026");
}

BOOST_AUTO_TEST_CASE(aligns_by_shown_width) {
  Table table{{{"WEIGHT", Align::right}, {"REF"}, {"NOTE"}}};
  table.add({"0.5", "漢", "x"});
  table.add({"1", "abc", ""});
  BOOST_TEST(printed(table) ==
             "WEIGHT  REF  NOTE\n"
             "   0.5  漢   x\n"
             "     1  abc  \n");
}

BOOST_AUTO_TEST_CASE(cuts_the_last_column_to_the_terminal) {
  Table table{{{"A"}, {"B"}}};
  table.add({"1", "a long text that does not fit"});
  BOOST_TEST(printed(table, 20) == "A  B\n1  a long text that\u2026\n");
}

BOOST_AUTO_TEST_CASE(colours_the_header_only_when_asked) {
  Table table{{{"A"}}};
  table.add({"1"});
  BOOST_TEST(printed(table, 0, true) == "\x1b[1mA\x1b[0m\n1\n");
}

BOOST_AUTO_TEST_CASE(prints_nothing_without_rows) {
  BOOST_TEST(printed(Table{{{"A"}}}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
