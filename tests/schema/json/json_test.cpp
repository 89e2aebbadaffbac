// JSON texts to values and back: exactness of numbers, refusals, duplicates, depth.
#include "schema/json/json.hpp"

#include "schema/json/writer.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <random>

#include <boost/json/monotonic_resource.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::json {
namespace {

namespace data = boost::unit_test::data;

struct Number {
  std::string given;
  std::string written;  ///< empty: refused
};
std::ostream& operator<<(std::ostream& out, Number const& each) {
  return out << each.given.substr(0, 40);
}

std::vector<Number> const numbers = {
    {"0", "0"},
    {"-0", "0"},
    {"-0.0", "0"},
    {"1.0", "1"},
    {"0.57", "0.57"},
    {"0.1", "0.1"},
    {"5E-1", "0.5"},
    {"1e2", "100"},
    {"999999999999999.0", "999999999999999"},
    {"1e15", "1000000000000000"},
    {"0.000001", "0.000001"},
    {"0.0001", "0.0001"},
    {"1.5e-6", "0.0000015"},
    {"1e-7", "1e-7"},
    {"-2.5e-10", "-2.5e-10"},
    {"4444444222222000371.5", "4444444222222000128"},  // the digits of the double: it is read back as an integer
    {"-5555551093604E6", "-5555551093603999744"},
    {"-4444444222222000371.5", "-4444444222222000128"},
    {"1.8446744073709549568e19", "18446744073709549568"},
    {"1e20", "1e+20"},
    {"1.8446744073709556e19", "1.8446744073709556e+19"},
    {"-1.1e20", "-1.1e+20"},
    {"-9223372036854775808.0", "-9223372036854775808"},
    {"-9.3e18", "-9.3e+18"},
    {"1.2345678901234567e21", "1.2345678901234568e+21"},
    {"1e21", "1e+21"},
    {"1.5e300", "1.5e+300"},
    {"9007199254740993", "9007199254740993"},
    {"9223372036854775807", "9223372036854775807"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"18446744073709551615", "18446744073709551615"},
    {"18446744073709551616", "1.8446744073709552e+19"},
    {"10000000000000000000000", "1e+22"},
    {"1.7976931348623157e308", "1.7976931348623157e+308"},
    {"1.7976931348623159e308", ""},
    {"1e309", ""},
    {"1e400", ""},
    {"-1e400", ""},
    {"1e99999999999999999999", ""},
    {"1" + std::string(400, '0'), ""},
    {"1" + std::string(300, '0'), "1e+300"},
    {"5e-324", "5e-324"},
    {"2e-324", "0"},
    {"1e-400", "0"},
    {"-1e-400", "0"},
    {"0." + std::string(500, '0') + "1", "0"},
    {"0e400", "0"},
    {"0.30000000000000004440892098500626", "0.30000000000000004"},
    {"01", ""},
    {"+1", ""},
    {".5", ""},
    {"1.", ""},
    {"1e", ""},
    {"NaN", ""},
    {"Infinity", ""},
    {"0x10", ""},
};
BOOST_DATA_TEST_CASE(reads_and_writes_numbers_exactly, data::make(numbers), each) {
  auto const document = parse(each.given);
  BOOST_TEST((document ? to_text(document->value) : "") == each.written);
  auto const in_list = parse("[" + each.given + "]");
  BOOST_TEST((in_list ? to_text(in_list->value) : "") == (each.written.empty() ? "" : "[" + each.written + "]"));
}

// Claim: every finite double survives writing and reading bit by bit, and so does its 17-digit text. Method: random
// bits.
BOOST_AUTO_TEST_CASE(keeps_every_double) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 engine{seed};
  for (int i = 0; i < 200'000; ++i) {
    auto const bits = i % 2 == 0 ? engine() : std::bit_cast<std::uint64_t>(static_cast<double>(engine()) / 1e19);
    auto const value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    std::string text;
    append_number(text, value);
    char digits[40];
    static_cast<void>(std::snprintf(digits, sizeof digits, "%.17g", value));
    for (std::string const& form : {text, std::string{digits}}) {
      auto const read = parse(form).value().value.to_number<double>();
      if (read != value) BOOST_TEST_ERROR("seed " << seed << ": " << form << " became " << read);
    }
  }
}

// Claim: no double is written as an integer that the reader refuses. Method: doubles of 2^60 to 2^76, of both signs.
BOOST_AUTO_TEST_CASE(writes_no_integer_that_nothing_holds) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 engine{seed};
  for (int i = 0; i < 50'000; ++i) {
    double const value = std::ldexp(static_cast<double>(engine() >> 11U) * 0x1p-53 + 1, 60 + i % 16) * (i % 2 ? -1 : 1);
    std::string text;
    append_number(text, value);
    auto const read = parse(text).value();
    if (!read.inexact.empty() || read.value.to_number<double>() != value)
      BOOST_TEST_ERROR("seed " << seed << ": " << text);
    std::string brief;
    append_number(brief, static_cast<float>(value));
    if (!parse(brief).value().inexact.empty()) BOOST_TEST_ERROR("seed " << seed << ": " << brief);
  }
}

// Claim: a number of few decimals is written in the shortest form that reads back as it. Method: decimals of up to
// eight places of all sizes, and their neighbours, compared with the standard library's shortest plain form.
BOOST_AUTO_TEST_CASE(writes_decimals_in_their_shortest_form) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 engine{seed};
  for (int i = 0; i < 200'000; ++i) {
    double scale = 10;
    for (auto places = engine() % 8; places > 0; --places) scale *= 10;
    double value = static_cast<double>(engine() >> (engine() % 50 + 14)) / scale;
    if (engine() % 4 == 0) value = std::nextafter(value, engine() % 2 == 0 ? 0.0 : 1e300);
    if (engine() % 2 == 0) value = -value;
    if (std::abs(value) < 1e-6 || std::abs(value) >= 1e15 || value == std::trunc(value)) continue;
    std::string text;
    append_number(text, value);
    std::array<char, 64> expected{};
    auto const end =
        std::to_chars(expected.data(), expected.data() + expected.size(), value, std::chars_format::fixed).ptr;
    if (text != std::string_view(expected.data(), end)) BOOST_TEST_ERROR("seed " << seed << ": " << text);
  }
}

// Claim: texts of every length are escaped where they have to be. Method: each character that is escaped, and its
// neighbours, at each place of texts of up to 20 bytes, compared with a loop over the characters.
BOOST_AUTO_TEST_CASE(finds_what_is_to_be_escaped_at_every_place) {
  constexpr std::string_view characters{"\x00\x08\x1f !\"#[\\]\x7f\xc3\xa0", 13};
  for (std::size_t size = 0; size <= 20; ++size) {
    for (std::size_t place = 0; place < std::max<std::size_t>(size, 1); ++place) {
      for (char const character : characters) {
        std::string given(size, 'x');
        if (size > 0) given[place] = character;
        std::string expected = "\"";
        for (char const each : given) {
          if (each == '"' || each == '\\') expected.push_back('\\');
          if (each == '\0') {
            expected += "\\u0000";
          } else if (each == '\x1f') {
            expected += "\\u001f";
          } else if (each == '\b') {
            expected += "\\b";
          } else {
            expected.push_back(each);
          }
        }
        expected.push_back('"');
        std::string as_value;
        Writer{as_value}.value(given);
        std::string as_keys;
        Writer keys{as_keys};
        keys.begin_object().key(given).null().key(given).null();
        BOOST_REQUIRE(as_value == expected);
        BOOST_REQUIRE(as_keys == std::string("{").append(expected).append(":null,").append(expected).append(":null"));
      }
    }
  }
}

// Claim: every finite binary32 survives writing and reading through binary64. Method: random bits, and the corners.
BOOST_AUTO_TEST_CASE(keeps_every_float) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 engine{seed};
  std::vector<std::uint32_t> bits = {0x7f7f'ffff, 0xff7f'ffff, 1, 0x0080'0000, 0x007f'ffff, 0x15ae'43fd, 0x8000'0000};
  for (int i = 0; i < 300'000; ++i) bits.push_back(static_cast<std::uint32_t>(engine()));
  for (auto const each : bits) {
    auto const value = std::bit_cast<float>(each);
    if (!std::isfinite(value)) continue;
    std::string text;
    append_number(text, value);
    auto const read = static_cast<float>(parse(text).value().value.to_number<double>());
    if (read != value) BOOST_TEST_ERROR("seed " << seed << ": " << text << " became " << read);
  }
}

struct Float {
  float value;
  std::string written;
};
std::ostream& operator<<(std::ostream& out, Float const& each) {
  return out << each.written;
}

std::vector<Float> const floats = {
    {0.0F, "0"},
    {-0.0F, "0"},
    {1.0F, "1"},
    {0.1F, "0.1"},
    {-0.145F, "-0.145"},
    {1e-6F, "0.000001"},
    {1e-7F, "1e-7"},
    {1.5e-6F, "0.0000015"},
    {16777216.0F, "16777216"},
    {1e19F, "10000000000000000000"},
    {1e20F, "1e+20"},
    {-1e19F, "-1e+19"},
    {1e21F, "1e+21"},
    {3.4028235e38F, "3.4028235e+38"},
    {1e-45F, "1e-45"},
    // 7.038531e-26 is the shortest form of its binary32, but read as binary64 it rounds to another one.
    {std::bit_cast<float>(std::uint32_t{0x15ae'43fd}), "7.038530691851209e-26"},
};
// JSON has none of these: what cannot be written is absent, and ends nothing.
BOOST_AUTO_TEST_CASE(writes_null_for_what_is_not_finite) {
  std::string text;
  for (auto const value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    append_number(text, value);
    append_number(text, static_cast<float>(value));
  }
  BOOST_TEST(text == "nullnullnullnullnullnull");
}

BOOST_DATA_TEST_CASE(writes_floats_in_few_digits, data::make(floats), each) {
  std::string text;
  append_number(text, each.value);
  BOOST_TEST(text == each.written);
}

struct JsonText {
  std::string name;
  std::string text;
  bool is_good;
};
std::ostream& operator<<(std::ostream& out, JsonText const& each) {
  return out << each.name;
}

std::string nested(std::size_t depth, char open, char close) {
  return std::string(depth, open) + std::string(depth, close);
}

std::vector<JsonText> const texts = {
    {"empty", "", false},
    {"blank", "  ", false},
    {"white_space_around", " \t\r\n1 \n", true},
    {"two_values", "1 2", false},
    {"trailing_garbage", "{}x", false},
    {"trailing_comma", "[1,]", false},
    {"comment", "[1/*x*/]", false},
    {"single_quotes", "{'a':1}", false},
    {"unfinished", "[1", false},
    {"escape_pair", R"("\ud83d\ude00")", true},
    {"lone_lead_surrogate", R"("\ud800")", false},
    {"lone_lead_then_text", R"("\ud800 and more text")", false},
    {"lone_trail_surrogate", R"("\udc00")", false},
    {"lone_trail_then_text", R"("\udc00 and more text")", false},
    {"two_leads", R"("\ud800\ud800")", false},
    {"surrogate_in_key", R"({"\ud800":1})", false},
    {"escaped_nul", R"("\u0000")", true},
    {"raw_control", "\"\n\"", false},
    {"raw_astral", "\"\U0001F600\"", true},
    {"raw_surrogate", "\"\xED\xA0\x80\"", false},
    {"raw_overlong", "\"\xC0\x80\"", false},
    {"raw_cut", "\"\xE2\x82\"", false},
    {"raw_ff", "\"\xFF\"", false},
    {"bom", "\xEF\xBB\xBF{}", false},
    {"zero_byte", std::string("1\0", 2), false},
    {"depth_64", nested(64, '[', ']'), true},
    {"depth_65", nested(65, '[', ']'), false},
    {"depth_100000", nested(100'000, '[', ']'), false},
};
BOOST_DATA_TEST_CASE(takes_exactly_well_formed_texts, data::make(texts), each) {
  auto const document = parse(each.text);
  BOOST_TEST(document.has_value() == each.is_good);
  if (!document) BOOST_TEST(document.error().code == Errc::parse_error);
}

BOOST_AUTO_TEST_CASE(counts_objects_into_the_depth) {
  BOOST_TEST(parse(R"({"a":[{"b":1}]})", 3).has_value());
  BOOST_TEST(!parse(R"({"a":[{"b":1}]})", 2).has_value());
}

struct Repeated {
  std::string text;
  std::vector<std::string> duplicates;
};
std::ostream& operator<<(std::ostream& out, Repeated const& each) {
  return out << each.text;
}

std::vector<Repeated> const repeated = {
    {R"({"a":1,"b":2})", {}},           {R"([{"a":1},{"a":2}])", {}},
    {R"({"a":1,"a":1})", {"/a"}},       {R"({"a":1,"\u0061":2})", {"/a"}},
    {R"({"a":1,"a":2,"a":3})", {"/a"}}, {R"([0,{"x":[[],{"y":1,"z":{},"y":2}]}])", {"/1/x/1/y"}},
    {R"({"":0,"":1})", {"/"}},          {R"({"a":{"b":1,"b":2},"a":3})", {"/a/b", "/a"}},
};
BOOST_DATA_TEST_CASE(says_which_members_stand_twice, data::make(repeated), each) {
  auto const document = parse(each.text).value();
  BOOST_TEST(document.duplicates == each.duplicates, boost::test_tools::per_element());
}

std::vector<Repeated> const large = {
    {R"({"a":18446744073709551615,"b":-9223372036854775808})", {}},
    {R"({"a":18446744073709552000,"b":-100000000000000000000,"c":1e300})", {"/a", "/b"}},  // written with exponents
    {"[1" + std::string(30, '0') + "]", {"/0"}},
    {R"([18446744073709551616])", {"/0"}},
    {R"({"a":[0,18446744073709551617],"b":{"c":-9223372036854775809}})", {"/a/1", "/b/c"}},
    {R"([1.8446744073709551617e19,18446744073709551617.0])", {}},  // no integers as they are spelt
    {"[1" + std::string(307, '0') + "1]", {"/0"}},
};
BOOST_DATA_TEST_CASE(says_which_integers_no_number_holds, data::make(large), each) {
  auto const document = parse(each.text).value();
  BOOST_TEST(document.inexact == each.duplicates, boost::test_tools::per_element());
  BOOST_TEST(document.duplicates.empty());
}

BOOST_AUTO_TEST_CASE(too_many_places_are_not_named) {
  auto const list = [](std::size_t count) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append("18446744073709551617");
    return text + "]";
  };
  BOOST_TEST(parse(list(limits::record_violations_max)).value().inexact.size() == limits::record_violations_max);
  auto const more = parse(list(limits::record_violations_max + 1)).value();
  BOOST_TEST(more.inexact.size() == limits::record_violations_max);
  BOOST_TEST(more.has_more_places);
  BOOST_TEST(!parse(list(limits::record_violations_max)).value().has_more_places);
  // A long name is not copied for each place below it.
  auto const deep = "{\"" + std::string(100'000, 'k') + "\":" + list(3) + "}";
  BOOST_TEST(!parse(deep).has_value());
}

BOOST_AUTO_TEST_CASE(finds_duplicates_among_many_members) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text.append("\"k" + std::to_string(i) + "\":0,");
  BOOST_TEST(parse(text + "\"k1000\":0}").value().duplicates.empty());
  BOOST_TEST(parse(text + "\"k500\":0}").value().duplicates.size() == 1U);
}

/// Claim: a character is escaped or not whatever is around it. Method: each byte at each place of texts of every
/// length up to three words, held against one appended alone.
BOOST_AUTO_TEST_CASE(an_escape_is_found_at_every_place) {
  for (std::size_t size = 1; size <= 24; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string alone;
        append_string(alone, std::string(1, static_cast<char>(byte)));
        std::string text(size, place % 2 == 0 ? '\x7f' : '!');
        text[place] = static_cast<char>(byte);
        std::string expected =
            '"' + text.substr(0, place) + alone.substr(1, alone.size() - 2) + text.substr(place + 1) + '"';
        std::string written;
        append_string(written, text);
        if (written != expected) BOOST_TEST(written == expected, "byte " << byte << " at " << place << " of " << size);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(escapes_only_what_json_requires) {
  std::string out;
  append_string(out, "a\"\\/\b\f\n\r\t\x01\x1f\x7f\u00e9\u2028\U0001F600");
  BOOST_TEST(out == "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\u00e9\u2028\U0001F600\"");
}

BOOST_AUTO_TEST_CASE(sorts_members_and_unifies_numbers_in_canonical_text) {
  auto const text = [](std::string_view given) { return to_canonical_text(parse(given).value().value); };
  BOOST_TEST(text(R"({"b":[1.0,2],"a":{"\u00e9":null,"z":true}})") == R"({"a":{"z":true,"é":null},"b":[1,2]})");
  BOOST_TEST(text("1e15") == text("1000000000000000"));
  BOOST_TEST(text("18446744073709549568") == text("1.8446744073709549568e19"));
  BOOST_TEST(text("1e20") == "1e+20");
  BOOST_TEST(text("-4444444222222000371.5") == text("-4444444222222000128"));
  BOOST_TEST(text("-5555551093604E6") == text("-5555551093603999744"));
}

BOOST_AUTO_TEST_CASE(builds_values_in_the_storage_given) {
  boost::json::monotonic_resource memory;
  auto const document = parse(R"({"a":["a text that is long enough to need memory of its own"]})", 64, &memory);
  BOOST_TEST(document->value.storage().get() == &memory);
}

BOOST_AUTO_TEST_CASE(takes_what_others_wrote_with_a_bad_character_or_number) {
  auto const read = [](std::string_view text) { return to_text(parse_foreign(text)->value); };
  std::string const mark = "\xEF\xBF\xBD";
  BOOST_TEST(read(R"(["a\ud83db","\ud83d\ude00","\udc00\\ud83d"])") ==
             "[\"a" + mark + "b\",\"\xF0\x9F\x98\x80\",\"" + mark + R"(\\ud83d"])");
  BOOST_TEST(read("[\"x\xE2\x82y\"]") == "[\"x" + mark + "y\"]");
  BOOST_TEST(read("[18446744073709551616,-1e400,18446744073709551615,100000000000000000000,1e20]") ==
             R"(["18446744073709551616","-1e400",18446744073709551615,"100000000000000000000",1e+20])");
  BOOST_TEST(read(R"({"a":NaN,"b":[Infinity,-Infinity,-1],"c":"NaN \" NaN"})") ==
             R"({"a":"NaN","b":["Infinity","-Infinity",-1],"c":"NaN \" NaN"})");
  BOOST_TEST(read("\xEF\xBB\xBF[1]") == "[1]");
  BOOST_TEST((!parse_foreign("[NaNa]") && !parse_foreign("[- Infinity]") && !parse_foreign("[Inf]")));
  BOOST_TEST(parse_foreign(R"({"a":1,"a":2})")->duplicates.size() == 1U);
  BOOST_TEST(!parse_foreign("[1,"));
}

BOOST_AUTO_TEST_CASE(places_commas_and_colons) {
  std::string out;
  Writer writer{out};
  writer.begin_object().member("a", 1).key("b").begin_array().value("x").null().begin_object().end_object();
  writer.end_array().member("c", true).key("d").raw("[]").end_object();
  BOOST_TEST(out == R"({"a":1,"b":["x",null,{}],"c":true,"d":[]})");
}

BOOST_AUTO_TEST_CASE(names_of_members_are_escaped_like_texts) {
  std::string out;
  Writer{out}.begin_object().member("a\"b", 1).member("", 2).member("\n", 3).member("plain name", 4).end_object();
  BOOST_TEST(out == R"({"a\"b":1,"":2,"\n":3,"plain name":4})");
}

}  // namespace
}  // namespace whence::schema::json
