// PackStream: the examples of its specification, both directions; and bytes that must be refused.

#include "net/bolt/packstream/reader.hpp"
#include "net/bolt/packstream/writer.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(bolt_pack)

namespace {

/// Bytes written as hex digits, blanks between them.
std::string packed_hex(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (auto const c : hex) {
    if (c == ' ') continue;
    digits.push_back(c);
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<char>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

std::string packed_value(bolt::Value const& value, bolt::Dialect dialect = {}) {
  std::string out;
  bolt::PackWriter{out, dialect}.value(value);
  return out;
}

bolt::Outcome<bolt::Value> unpacked(std::string_view bytes, bolt::Dialect dialect = {}, bolt::PackLimits limits = {}) {
  bolt::PackReader reader{bytes, dialect, limits};
  auto value = reader.read_value();
  if (value && !reader.is_at_end()) return bolt::Failure{.kind = bolt::FailureKind::internal, .message = "bytes left"};
  return value;
}

struct PackExample {
  char const* name;
  bolt::Value value;
  char const* hex;
};

std::ostream& operator<<(std::ostream& out, PackExample const& example) {
  return out << example.name;
}

bolt::Value packed_int(std::int64_t value) {
  return {value};
}

std::vector<PackExample> const pack_examples = {
    {"null", {}, "C0"},
    {"true", {true}, "C3"},
    {"false", {false}, "C2"},
    {"one", packed_int(1), "01"},
    {"minus sixteen", packed_int(-16), "F0"},
    {"minus seventeen", packed_int(-17), "C8 EF"},
    {"127", packed_int(127), "7F"},
    {"42", packed_int(42), "2A"},
    {"minus 128", packed_int(-128), "C8 80"},
    {"128", packed_int(128), "C9 00 80"},
    {"1234", packed_int(1234), "C9 04 D2"},
    {"minus 129", packed_int(-129), "C9 FF 7F"},
    {"32768", packed_int(32'768), "CA 00 00 80 00"},
    {"least 32 bits", packed_int(std::numeric_limits<std::int32_t>::min()), "CA 80 00 00 00"},
    {"beyond 32 bits", packed_int(2'147'483'648), "CB 00 00 00 00 80 00 00 00"},
    {"least", packed_int(std::numeric_limits<std::int64_t>::min()), "CB 80 00 00 00 00 00 00 00"},
    {"greatest", packed_int(std::numeric_limits<std::int64_t>::max()), "CB 7F FF FF FF FF FF FF FF"},
    {"1.23", {1.23}, "C1 3F F3 AE 14 7A E1 47 AE"},
    {"-1.1", {-1.1}, "C1 BF F1 99 99 99 99 99 9A"},
    {"no text", {std::string{}}, "80"},
    {"A", {std::string{"A"}}, "81 41"},
    {"26 letters",
     {std::string{"abcdefghijklmnopqrstuvwxyz"}},
     "D0 1A 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 74 75 76 77 78 79 7A"},
    {"not ASCII", {std::string{"Gr\xC3\xB6\xC3\x9F"}}, "86 47 72 C3 B6 C3 9F"},
    {"no bytes", {bolt::Bytes{}}, "CC 00"},
    {"bytes", {bolt::Bytes{"\x01\x02\x03"}}, "CC 03 01 02 03"},
    {"empty list", {bolt::List{}}, "90"},
    {"list", {bolt::List{packed_int(1), packed_int(2), packed_int(3)}}, "93 01 02 03"},
    {"mixed list",
     {bolt::List{packed_int(1), {2.0}, {std::string{"three"}}}},
     "93 01 C1 40 00 00 00 00 00 00 00 85 74 68 72 65 65"},
    {"empty map", {bolt::Map{}}, "A0"},
    {"map", {bolt::Map{{"one", {std::string{"eins"}}}}}, "A1 83 6F 6E 65 84 65 69 6E 73"},
    {"date", {bolt::Date{.days = 19'782}}, "B1 44 C9 4D 46"},
    {"time", {bolt::Time{.nanos = 1, .offset = -3'600}}, "B2 54 01 C9 F1 F0"},
    {"local time", {bolt::LocalTime{.nanos = 2}}, "B1 74 02"},
    {"local date time", {bolt::LocalDateTime{.seconds = 3, .nanos = 4}}, "B2 64 03 04"},
    {"date time", {bolt::DateTime{.seconds = 5, .nanos = 6, .offset = 3'600}}, "B3 49 05 06 C9 0E 10"},
    {"zoned", {bolt::DateTime{.seconds = 7, .nanos = 8, .zone = "UTC"}}, "B3 69 07 08 83 55 54 43"},
    {"duration", {bolt::Duration{.months = 1, .days = 2, .seconds = 3, .nanos = 4}}, "B4 45 01 02 03 04"},
};

struct PackRefusal {
  char const* name;
  char const* hex;
};

std::ostream& operator<<(std::ostream& out, PackRefusal const& refusal) {
  return out << refusal.name;
}

std::vector<PackRefusal> const pack_refusals = {
    {"nothing", ""},
    {"an unknown first byte", "C4"},
    {"another", "DC"},
    {"the end within an integer", "CB 00 00"},
    {"a text without its bytes", "85 61"},
    {"a text of 2 GiB", "D2 7F FF FF FF 61"},
    {"a text of 4 GiB", "D2 FF FF FF FF 61"},
    {"bytes without their bytes", "CE 00 FF FF FF"},
    {"a list that claims 2 GiB of values", "D6 7F FF FF FF C0"},
    {"a list with a value missing", "92 01"},
    {"a map that claims 2 GiB of entries", "DA 7F FF FF FF"},
    {"a map without a value", "A1 81 61"},
    {"a key that is a number", "A1 01 01"},
    {"a key that is null", "A1 C0 01"},
    {"a key twice", "A2 81 61 01 81 61 02"},
    {"no UTF-8", "81 FF"},
    {"a surrogate", "83 ED A0 80"},
    {"an unknown structure", "B0 7A"},
    {"a date of two fields", "B2 44 01 02"},
    {"a date that is a text", "B1 44 81 61"},
    {"a time beyond the day", "B2 54 CB 00 00 4E 94 91 4F 00 00 00"},
    {"nanoseconds below zero", "B2 64 00 FF"},
    {"an offset of a day", "B3 49 00 00 CA 00 01 51 80"},
    {"the form of 4.4 for a moment", "B3 46 00 00 00"},
    {"a zone without a name", "B3 69 00 00 80"},
    {"a structure without a tag", "B3"},
};

}  // namespace

BOOST_DATA_TEST_CASE(values_are_written_in_their_shortest_form, data::make(pack_examples), example) {
  BOOST_TEST(packed_value(example.value) == packed_hex(example.hex));
}

BOOST_DATA_TEST_CASE(values_are_read_back, data::make(pack_examples), example) {
  auto const read = unpacked(packed_hex(example.hex));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(*read == example.value);
}

BOOST_DATA_TEST_CASE(each_prefix_of_a_value_is_refused, data::make(pack_examples), example) {
  auto const bytes = packed_hex(example.hex);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    BOOST_TEST(!unpacked(std::string_view{bytes}.substr(0, size)).has_value());
  }
}

BOOST_DATA_TEST_CASE(what_is_no_value_is_refused, data::make(pack_refusals), refusal) {
  auto const read = unpacked(packed_hex(refusal.hex));
  BOOST_REQUIRE(!read.has_value());
  BOOST_TEST(read.error().kind == bolt::FailureKind::request_invalid);
}

BOOST_AUTO_TEST_CASE(longer_forms_than_needed_are_read) {
  BOOST_TEST(*unpacked(packed_hex("CB 00 00 00 00 00 00 00 01")) == packed_int(1));
  BOOST_TEST(*unpacked(packed_hex("D2 00 00 00 01 61")) == bolt::Value{std::string{"a"}});
  BOOST_TEST(*unpacked(packed_hex("D4 01 01")) == bolt::Value{bolt::List{packed_int(1)}});
  BOOST_TEST(*unpacked(packed_hex("DA 00 00 00 00")) == bolt::Value{bolt::Map{}});
}

BOOST_AUTO_TEST_CASE(points_and_entities_may_not_be_sent) {
  for (auto const* const hex : {"B3 58 01 01 01", "B4 59 01 01 01 01", "B3 4E 01 90 A0", "B3 50 90 90 90"}) {
    auto const read = unpacked(packed_hex(hex));
    BOOST_REQUIRE(!read.has_value());
    BOOST_TEST(read.error().kind == bolt::FailureKind::type_error);
  }
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  std::string const inner{"\xC0", 1};
  auto const nested = [&](std::size_t depth) { return std::string(depth, '\x91') + inner; };
  BOOST_TEST(unpacked(nested(64)).has_value());
  BOOST_TEST(!unpacked(nested(65)).has_value());
  BOOST_TEST(!unpacked(nested(1'000'000)).has_value());
  std::string maps;
  for (int i = 0; i < 70; ++i)
    maps +=
        "\xA1\x81"
        "a";
  BOOST_TEST(!unpacked(maps + inner).has_value());
}

BOOST_AUTO_TEST_CASE(the_number_of_values_is_bounded) {
  bolt::PackLimits const few{.values_max = 10};
  BOOST_TEST(unpacked(packed_hex("99 00 00 00 00 00 00 00 00 00"), {}, few).has_value());
  BOOST_TEST(!unpacked(packed_hex("9A 00 00 00 00 00 00 00 00 00 00"), {}, few).has_value());
  BOOST_TEST(!unpacked(packed_hex("92 94 00 00 00 00 94 00 00 00 00"), {}, few).has_value());
}

BOOST_AUTO_TEST_CASE(moments_of_4_4_count_local_seconds_without_its_patch) {
  constexpr bolt::Dialect old{.has_element_ids = false, .is_utc = false};
  bolt::Value const moment{bolt::DateTime{.seconds = 0, .nanos = 1, .offset = 60}};
  auto const bytes = packed_value(moment, old);
  BOOST_TEST(bytes == packed_hex("B3 46 3C 01 3C"));
  BOOST_TEST(*unpacked(bytes, old) == moment);
  BOOST_TEST(!unpacked(packed_value(moment), old).has_value());
  BOOST_TEST(packed_value({bolt::DateTime{.seconds = 5, .nanos = 0, .zone = "UTC"}}, old) ==
             packed_hex("B3 46 05 00 00"));
}

BOOST_AUTO_TEST_CASE(nodes_and_relationships_have_the_form_of_the_version) {
  std::vector<std::string> const labels{"L"};
  auto const written = [&](bolt::Dialect dialect) {
    std::string out;
    bolt::PackWriter writer{out, dialect};
    writer.begin_node(1, labels);
    writer.map({});
    writer.end_node("e");
    writer.begin_relationship(2, {.start = 1, .end = 3}, "T");
    writer.map({});
    writer.end_relationship({.own = "r", .start = "s", .end = "t"});
    return out;
  };
  BOOST_TEST(written({}) == packed_hex("B4 4E 01 91 81 4C A0 81 65  B8 52 02 01 03 81 54 A0 81 72 81 73 81 74"));
  BOOST_TEST(written(bolt::Dialect::of(bolt::version_4_4)) ==
             packed_hex("B3 4E 01 91 81 4C A0  B5 52 02 01 03 81 54 A0"));
}

BOOST_AUTO_TEST_SUITE_END()
