// Text to UTF-16 and back, in pieces of any size.
#include "schema/xml/utf16.hpp"

#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace whence::schema::xml;

namespace {

std::string random_utf8(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 8> parts = {
      "a plain text of some length", "b", "\x7f", "\u0080", "\u07ff\u0800", "\uffff", "\U00010000", "\U0010FFFF"};
  std::string text;
  for (std::size_t count = random() % 30; count > 0; --count) text += parts[random() % parts.size()];
  return text;
}

/// `text` read with room for at most `units_max` at a time. Ends early where nothing more is written.
std::u16string widened(std::string_view text, std::size_t units_max) {
  std::u16string all;
  std::vector<unsigned char> room(1 + units_max * sizeof(char16_t));
  while (!text.empty()) {
    auto const [bytes, units] = widen(text, room.data() + 1, units_max);  // + 1: at no boundary of units
    if (units == 0 || units > units_max) break;
    std::u16string piece(units, u' ');
    std::memcpy(piece.data(), room.data() + 1, units * sizeof(char16_t));
    all += piece;
    text.remove_prefix(bytes);
  }
  return all;
}

std::string narrowed(std::u16string_view units, std::mt19937_64& random) {
  Utf8Text text;
  while (!units.empty()) {
    std::size_t const count = std::min<std::size_t>(units.size(), 1 + random() % 40);
    text.append(units.substr(0, count));
    units.remove_prefix(count);
  }
  return std::string{text.bytes()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(xml_utf16)

BOOST_AUTO_TEST_CASE(text_comes_back_whatever_the_pieces) {
  auto const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    auto const text = random_utf8(random);
    auto const units = widened(text, 2 + random() % 50);
    BOOST_TEST_CONTEXT("seed " << seed << ", round " << round) {
      BOOST_TEST(narrowed(units, random) == text);
      BOOST_TEST(utf8_size(units) == text.size());
      BOOST_TEST(units.size() == widened(text, 1000).size());
    }
  }
}

BOOST_AUTO_TEST_CASE(units_are_those_of_utf16) {
  BOOST_TEST((widened("a\u00e9\u20ac\U0001F600", 8) == u"a\u00e9\u20ac\U0001F600"));
  BOOST_TEST((widened("sixteen letters, and more", 100) == u"sixteen letters, and more"));
}

BOOST_AUTO_TEST_CASE(a_character_of_two_units_is_not_parted) {
  std::array<unsigned char, 2 * sizeof(char16_t)> room{};
  auto const [bytes, units] = widen("a\U0001F600", room.data(), 2);
  BOOST_TEST(bytes == 1U);
  BOOST_TEST(units == 1U);
}

BOOST_AUTO_TEST_CASE(names_are_equal_unit_by_unit) {
  BOOST_TEST(is_equal(u"name", u"name"));
  BOOST_TEST(is_equal(u"", u""));
  BOOST_TEST(!is_equal(u"name", u"names"));
  BOOST_TEST(!is_equal(u"name", u"namE"));
}

BOOST_AUTO_TEST_SUITE_END()
