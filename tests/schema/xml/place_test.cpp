// Lines and columns of positions in a document, compared with counting character by character.
#include "schema/xml/parser/place.hpp"

#include "tests/support/seed.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace whence::schema::xml;

namespace {

/// A character of a document, with the position of its first byte.
struct Character {
  std::size_t offset;
  Mark mark;
  Place place;
};

/// Every character of `text`, and its end.
std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> all;
  Character at{.offset = byte_order_mark(text), .mark = {}, .place = {}};
  while (at.offset < text.size()) {
    all.push_back(at);
    auto const byte = static_cast<unsigned char>(text[at.offset]);
    std::size_t const bytes = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    bool const is_first_of_two = byte == '\r' && at.offset + 1 < text.size() && text[at.offset + 1] == '\n';
    at.offset += bytes;
    if (byte == '\n' || (byte == '\r' && !is_first_of_two)) {
      at.mark = {at.mark.line + 1, 1};
      at.place = {at.place.line + 1, 1};
    } else if (!is_first_of_two) {
      at.mark.column += bytes == 4 ? 2 : 1;
      ++at.place.column;
    }
  }
  all.push_back(at);
  return all;
}

std::string random_text(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 8> parts = {
      "a plain text of some length", "\n", "\r\n", "\r", "\u00e9", "\u2019", "\U0001F600", "<t>"};
  std::string text = random() % 4 == 0 ? "\xEF\xBB\xBF" : "";
  for (std::size_t count = random() % 40; count > 0; --count) {
    auto const part = parts[random() % parts.size()];
    text += part.substr(0, part.size() < 5 ? part.size() : 1 + random() % part.size());
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(xml_place)

BOOST_AUTO_TEST_CASE(places_are_those_of_counting) {
  auto const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; ++round) {
    auto const text = random_text(random);
    auto const all = characters_of(text);
    Places forth(text);
    Places any(text);
    for (auto const& each : all) {
      BOOST_TEST_CONTEXT("seed " << seed << ", byte " << each.offset << " of " << text) {
        auto const place = forth.place_of(each.offset);
        BOOST_TEST(place.line == each.place.line);
        BOOST_TEST(place.column == each.place.column);
        BOOST_TEST(forth.offset_of(each.mark) <= each.offset);
        auto const& other = all[random() % all.size()];
        BOOST_TEST(any.place_of(other.offset).column == other.place.column);
        BOOST_TEST(any.offset_of(other.mark) == Places(text).offset_of(other.mark));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_mark_is_the_byte_of_its_character) {
  std::string const text = "0123456789abcdef\u2019<t>\nsecond line of text\r\nthird\U0001F600 line";
  for (auto const& each : characters_of(text)) {
    bool const is_of_a_pair = each.offset > 0 && text[each.offset - 1] == '\r';
    if (is_of_a_pair) continue;  // CR LF is one end of a line: its mark is that of CR
    BOOST_TEST(Places(text).offset_of(each.mark) == each.offset);
  }
}

BOOST_AUTO_TEST_SUITE_END()
