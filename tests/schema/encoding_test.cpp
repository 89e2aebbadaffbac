// Hexadecimal digits, percent escapes and base64, both ways, and what is none of them.
#include "schema/encoding/base64.hpp"
#include "schema/encoding/hex.hpp"
#include "schema/encoding/percent.hpp"
#include "tests/support/seed.hpp"

#include <array>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(encoding)

struct Coded {
  std::string_view bytes;
  std::string_view text;

  friend std::ostream& operator<<(std::ostream& out, Coded const& coded) { return out << coded.text; }
};

// RFC 4648, section 10.
constexpr Coded base64_vectors[] = {{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}};

BOOST_DATA_TEST_CASE(base64_is_that_of_the_standard, data::make(base64_vectors), coded) {
  BOOST_TEST(encode_base64(coded.bytes) == coded.text);
  BOOST_TEST(decode_base64(coded.text).value() == coded.bytes);
}

BOOST_AUTO_TEST_CASE(the_two_alphabets_differ_in_two_characters) {
  std::string const bytes = "\xfb\xff\xbf";
  BOOST_TEST(encode_base64(bytes) == "+/+/");
  BOOST_TEST(encode_base64url(bytes) == "-_-_");
  BOOST_TEST(!decode_base64("-_-_"));
  BOOST_TEST(!decode_base64url("+/+/"));
}

BOOST_DATA_TEST_CASE(what_no_encoder_writes_is_refused, data::make({"Zg==Zg==", "Z", "Zh==", "Zm9=", "Zm 9v", "====="}),
                     text) {
  BOOST_TEST(!decode_base64(text));
}

BOOST_AUTO_TEST_CASE(any_bytes_come_back) {
  auto const seed = seed_from_environment();
  BOOST_TEST_CONTEXT("seed " << seed) {
    std::mt19937_64 random(seed);
    for (int turn = 0; turn < 300; ++turn) {
      std::string bytes(random() % 70, '\0');
      for (char& each : bytes) each = static_cast<char>(random());
      BOOST_TEST(decode_base64(encode_base64(bytes)).value() == bytes);
      BOOST_TEST(decode_base64url(encode_base64url(bytes)).value() == bytes);
      BOOST_TEST(percent_decoded(percent_encoded(bytes, [](char c) { return c > ' ' && c != '%'; })).value() == bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(percent_escapes_are_written_in_upper_case_and_read_in_either) {
  BOOST_TEST(percent_encoded("a/b%\n", [](char c) { return c >= 'a'; }) == "a%2Fb%25%0A");
  BOOST_TEST(percent_decoded("a%2fb%2F").value() == "a/b/");
  for (auto const* const broken : {"%", "%2", "%2G", "a%", "%%41"}) {
    BOOST_TEST(!percent_decoded(broken), broken);
  }
  BOOST_TEST(percent_decoded_leniently("100% %41%4") == "100% A%4");
}

BOOST_AUTO_TEST_CASE(hexadecimal_digits_are_written_in_lower_case) {
  BOOST_TEST(to_hex(std::array<std::uint8_t, 3>{0, 0xAB, 0xFF}) == "00abff");
  BOOST_TEST(hex_value('F') == 15);
  BOOST_TEST(hex_value('g') == -1);
  BOOST_TEST(!is_lower_hex("0A"));
  BOOST_TEST(uuid_text({0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                        0xef}) == "01234567-89ab-cdef-0123-456789abcdef");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
