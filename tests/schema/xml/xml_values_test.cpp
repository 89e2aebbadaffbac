// The values of the contract at their bounds.
#include "schema/xml/utf16.hpp"
#include "schema/xml/values.hpp"

#include <charconv>
#include <clocale>
#include <limits>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::xml {
namespace {

namespace data = boost::unit_test::data;

struct Confidence {
  std::string text;
  std::optional<double> value = {};
};
std::ostream& operator<<(std::ostream& out, Confidence const& each) {
  return out << '"' << each.text << '"';
}

std::vector<Confidence> const confidences = {
    {"0", 0},
    {"1", 1},
    {"0.0", 0},
    {"1.0", 1},
    {"-0", 0},
    {"-0.0e5", 0},
    {"+0.5", 0.5},
    {"1e-1", 0.1},
    {"1E-1", 0.1},
    {"10e-1", 1},
    {".5", 0.5},
    {"5.e-1", 0.5},
    {"0.", 0},
    {"1.", 1},
    {"000.5", 0.5},
    {"0.57", 0.57},
    {"1e0", 1},
    {"1e+0", 1},
    {"1e-400", 0},
    {"-1e-400", 0},
    {"0e999999999999999999999", 0},
    {"1e-99999999999999999999", 0},
    {"0.00000000000000000000000000000000000001e-400", 0},
    {"100e-402", 0},
    {"4.9e-324", 4.9e-324},
    {"1.00000000000000001", 1},  // the nearest double is 1
    {"1.0000000000000002"},
    {"1.1"},
    {"2"},
    {"1e1"},
    {"1e400"},
    {"1e99999999999999999999"},
    {"1e-"},
    {"1e"},
    {"e5"},
    {"."},
    {"+"},
    {"-"},
    {""},
    {"-0.1"},
    {"-1e-10"},
    {"--0"},
    {"+-0"},
    {" 0.5"},
    {"0.5 "},
    {"0,5"},
    {"0.5f"},
    {"0x0"},
    {"INF"},
    {"-INF"},
    {"inf"},
    {"infinity"},
    {"NaN"},
    {"nan"},
    {"high"},
    {"1_0"},
    {"0.5.5"},
    {"\u0660"},
};
BOOST_DATA_TEST_CASE(reads_confidence_in_the_lexical_form_of_a_double, data::make(confidences), each) {
  auto const value = parse_confidence(each.text);
  BOOST_TEST((value == each.value));
}

BOOST_AUTO_TEST_CASE(reads_short_fractions_as_the_library_does) {
  for (int digits = 1; digits <= 7; ++digits) {
    for (int number = 0; number < 1000; ++number) {
      std::string text = std::to_string(number * 7919 % 10'000'000);
      text = "0." + std::string(7, '0') + text;
      text = "0." + text.substr(text.size() - static_cast<std::size_t>(digits));
      double expected = 0;
      std::from_chars(text.data(), text.data() + text.size(), expected);
      BOOST_TEST((parse_confidence(text) == expected), text);
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_confidence_of_many_digits) {
  std::string const zeros(1000, '0');
  BOOST_TEST((parse_confidence("0." + zeros + "1") == 0.0));
  BOOST_TEST((parse_confidence(zeros + "." + std::string(1000, '9')) == 1.0));
  BOOST_TEST((parse_confidence("1" + zeros + "e-1000") == 1.0));
  BOOST_TEST(!parse_confidence("1" + zeros + "e-999"));
  BOOST_TEST(!parse_confidence("1" + zeros));
}

struct CommaLocale {
  std::string before = std::setlocale(LC_ALL, nullptr);
  CommaLocale() { std::setlocale(LC_ALL, "de_DE.UTF-8"); }  // where it is not installed, nothing changes
  ~CommaLocale() { std::setlocale(LC_ALL, before.c_str()); }
};
BOOST_FIXTURE_TEST_CASE(reads_confidence_in_any_locale, CommaLocale) {
  BOOST_TEST((parse_confidence("0.5") == 0.5));
  BOOST_TEST(!parse_confidence("0,5"));
}

struct Count {
  std::string text;
  std::optional<std::int64_t> value = {};
};
std::ostream& operator<<(std::ostream& out, Count const& each) {
  return out << '"' << each.text << '"';
}

std::vector<Count> const counts = {
    {"0", 0},
    {"-0", 0},
    {"-000", 0},
    {"+5", 5},
    {"007", 7},
    {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
    {"00000000000000000000000009223372036854775807", std::numeric_limits<std::int64_t>::max()},
    {"9223372036854775808"},
    {"99999999999999999999999"},
    {"-1"},
    {"+-1"},
    {"+"},
    {""},
    {" 1"},
    {"1 "},
    {"1.0"},
    {"1e3"},
    {"0x1"},
    {"twelve"},
};
BOOST_DATA_TEST_CASE(reads_message_counts_as_non_negative_integers, data::make(counts), each) {
  auto const value = parse_message_count(each.text);
  BOOST_TEST((value == each.value));
}

BOOST_AUTO_TEST_CASE(knows_two_booleans_only) {
  BOOST_TEST((parse_is_new("true") == true));
  BOOST_TEST((parse_is_new("false") == false));
  for (auto const* text : {"1", "0", "TRUE", "True", " true", "true ", "yes", ""})
    BOOST_TEST(!parse_is_new(text), text);
}

BOOST_AUTO_TEST_CASE(splits_lists_at_commas_and_leaves_blank_items_out) {
  using Items = std::vector<std::string>;
  BOOST_TEST((split_list("") == Items{}));
  BOOST_TEST((split_list(" , ,\n,") == Items{}));
  BOOST_TEST((split_list("a") == Items{"a"}));
  BOOST_TEST((split_list(",a b,\t c\r\n,,d ,") == Items{"a b", "c", "d"}));
  BOOST_TEST((split_list("a,a") == Items{"a", "a"}));
  BOOST_TEST((split_list("\u00A0") == Items{"\u00A0"}));  // no white space of XML
}

BOOST_AUTO_TEST_CASE(knows_white_space_of_xml_only) {
  BOOST_TEST(is_blank(""));
  BOOST_TEST(is_blank(" \t\r\n"));
  for (auto const* text : {"\v", "\f", "\u00A0", "\u2003", "\uFEFF"}) BOOST_TEST(!is_blank(text));
}

BOOST_AUTO_TEST_CASE(knows_the_lowercase_hyphen_form) {
  for (auto const* text : {"a", "529-plan", "college-savings", "\u00fcbung"})
    BOOST_TEST(is_lowercase_hyphen(text), text);
  for (auto const* text : {"", "A", "a b", "-a", "a-", "a--b", "a_b", "a.b", "a+b"}) {
    BOOST_TEST(!is_lowercase_hyphen(text), text);
  }
}

BOOST_AUTO_TEST_CASE(joins_the_halves_of_a_character_across_pieces) {
  std::u16string_view const text = u"0123456789abcdef\u00e9\u20ac\U0001F600 tail of ascii";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    Utf8Text pieces;
    pieces.append(text.substr(0, at));
    pieces.append(text.substr(at));
    BOOST_TEST(pieces.bytes() == "0123456789abcdef\u00e9\u20ac\U0001F600 tail of ascii");
    BOOST_TEST(pieces.characters() == 33U);
  }
  BOOST_TEST(utf8_size(text) == to_utf8(text).size());
}

}  // namespace
}  // namespace whence::schema::xml
