// UTF-8, short forms, digests.
#include "schema/base/text.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/report.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

namespace data = boost::unit_test::data;

struct Bytes {
  std::string name;
  std::string bytes;
  bool is_good;
};
std::ostream& operator<<(std::ostream& out, Bytes const& each) {
  return out << each.name;
}

std::vector<Bytes> const sequences = {
    {"empty", "", true},
    {"ascii", "hello, world, longer than a word", true},
    {"nul", std::string(1, '\0'), true},
    {"two_first", "\xC2\x80", true},
    {"two_overlong", "\xC1\xBF", false},
    {"two_cut", "abcdefgh\xC2", false},
    {"three_first", "\xE0\xA0\x80", true},
    {"three_overlong", "\xE0\x9F\xBF", false},
    {"before_surrogates", "\xED\x9F\xBF", true},
    {"first_surrogate", "\xED\xA0\x80", false},
    {"after_surrogates", "\xEE\x80\x80", true},
    {"three_cut", "\xE2\x82", false},
    {"four_first", "\xF0\x90\x80\x80", true},
    {"four_overlong", "\xF0\x8F\xBF\xBF", false},
    {"last", "\xF4\x8F\xBF\xBF", true},
    {"beyond_last", "\xF4\x90\x80\x80", false},
    {"f5", "\xF5\x80\x80\x80", false},
    {"lone_continuation", "\x80", false},
    {"bad_third", "\xE2\x82\x41", false},
    {"late", "aaaaaaaaaaaaaaaaa\xFF", false},
};
BOOST_DATA_TEST_CASE(knows_well_formed_utf8, data::make(sequences), each) {
  BOOST_TEST(is_utf8(each.bytes) == each.is_good);
}

// The code points that Python's `str.isspace` accepts, from its documentation: these and no others.
constexpr std::u32string_view python_spaces =
    U"\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    U"\u2028\u2029\u202f\u205f\u3000";

std::string encoded(char32_t c) {
  auto const byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  auto const tail = [&](int shift) { return byte(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | c >> 6U), tail(0)};
  if (c < 0x10000) return {byte(0xE0U | c >> 12U), tail(6), tail(0)};
  return {byte(0xF0U | c >> 18U), tail(12), tail(6), tail(0)};
}

BOOST_AUTO_TEST_CASE(trims_what_python_strips_and_nothing_else) {
  for (char32_t c = 1; c < 0x20000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    auto const one = encoded(c);
    bool const is_space = python_spaces.find(c) != std::u32string_view::npos;
    auto const around = std::string(one).append("a b").append(one).append(one);
    if (trim_white_space(around) != (is_space ? "a b" : around)) BOOST_TEST_ERROR("U+" << std::uint32_t{c});
    if (trim_white_space(one).empty() != is_space) BOOST_TEST_ERROR("alone: U+" << std::uint32_t{c});
  }
  BOOST_TEST(trim_white_space("") == "");
  BOOST_TEST(trim_white_space(" \u3000\u00a0\x1f\n") == "");
  BOOST_TEST(trim_white_space("\u200b x \ufeff") == "\u200b x \ufeff");  // zero-width: no white space
}

BOOST_AUTO_TEST_CASE(counts_code_points_not_bytes) {
  BOOST_TEST(code_points("a\u00e9\u20ac\U0001F600") == 4U);
}

BOOST_AUTO_TEST_CASE(counts_code_points_wherever_they_begin) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t behind = 0; behind < 20; ++behind) {
      auto const text = std::string(before, 'a') + "\u00e9\u20ac\U0001F600\u00e9" + std::string(behind, '\x7f');
      BOOST_TEST(code_points(text) == before + 4 + behind);
    }
  }
}

BOOST_AUTO_TEST_CASE(cuts_between_code_points_and_says_so) {
  BOOST_TEST(cut("abcdef", 6) == "abcdef");
  BOOST_TEST(cut("abcdefg", 6) == "abc...");
  BOOST_TEST(cut("\u20ac\u20ac\u20ac", 7) == "\u20ac...");
  BOOST_TEST(cut("abcdef", 2) == "..");
}

BOOST_AUTO_TEST_CASE(makes_pointers_of_paths) {
  Path const root;
  Path const list{root, "a/b~"};
  Path const item{list, std::size_t{3}};
  BOOST_TEST(root.pointer() == "");
  BOOST_TEST(Path(item, "x").pointer() == "/a~1b~0/3/x");
}

BOOST_AUTO_TEST_CASE(reports_a_place_once_and_nothing_below_it) {
  std::vector<Violation> found;
  Report report{found};
  Path const root;
  Path const list{root, "list"};
  report.add(list, "type", "", "");
  report.add(Path{list, std::size_t{0}}, "range", "", "");
  report.add(Path{root, "listing"}, "range", "", "");
  report.add(list, "items", "", "");
  BOOST_TEST(found.size() == 2U);
  BOOST_TEST(report.has_within(root) == false);
  BOOST_TEST(report.has(Path{list, std::size_t{9}}));
}

BOOST_AUTO_TEST_CASE(replaces_each_maximal_ill_formed_part) {
  BOOST_TEST(to_utf8("good \xC3\xA9") == "good \xC3\xA9");
  // Unicode 15, table 3-8, and the examples of 3.9.
  std::string const mark = "\xEF\xBF\xBD";
  BOOST_TEST(to_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") ==
             mark + mark + mark + mark + mark + mark + mark + mark + "A");
  BOOST_TEST(to_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") ==
             mark + mark + mark + mark + mark + mark + mark + mark + "A");
  BOOST_TEST(to_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == mark + mark + mark + mark + "A");
  BOOST_TEST(to_utf8("end \xE2\x82") == "end " + mark);
}

BOOST_AUTO_TEST_CASE(hashes_as_the_standard_says) {
  BOOST_TEST(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

BOOST_AUTO_TEST_CASE(hashes_parts_as_their_concatenation) {
  std::string_view const text = "abc";
  auto const bytes = std::as_bytes(std::span{text});
  BOOST_TEST(sha256({bytes.first(1), {}, bytes.subspan(1)}) == sha256(text));
}

}  // namespace
}  // namespace whence::schema
