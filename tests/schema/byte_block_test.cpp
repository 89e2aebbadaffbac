// Masks of sixteen bytes, compared with a look at each byte.
#include "schema/base/byte_block.hpp"

#include "tests/support/seed.hpp"

#include <array>
#include <cstdint>
#include <random>

#include <boost/test/unit_test.hpp>

using whence::schema::ByteBlock;

namespace {

template <class Holds>
std::uint32_t mask_of(std::array<char, ByteBlock::size> const& bytes, Holds const& holds) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) bits |= holds(static_cast<unsigned char>(bytes[i])) ? 1U << i : 0U;
  return bits;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(byte_block)

BOOST_AUTO_TEST_CASE(masks_are_those_of_single_bytes) {
  auto const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::array<char, ByteBlock::size> bytes{};
    for (char& each : bytes) each = static_cast<char>(random() % 3 == 0 ? 'a' : random());
    ByteBlock const block(bytes.data());
    BOOST_TEST_CONTEXT("seed " << seed << ", round " << round) {
      BOOST_TEST(block.equal_to('a') == mask_of(bytes, [](unsigned char byte) { return byte == 'a'; }));
      BOOST_TEST(block.beyond_ascii() == mask_of(bytes, [](unsigned char byte) { return byte >= 0x80; }));
      BOOST_TEST(block.continuing() == mask_of(bytes, [](unsigned char byte) { return byte >= 0x80 && byte < 0xC0; }));
      BOOST_TEST(block.leading_four() == mask_of(bytes, [](unsigned char byte) { return byte >= 0xF0; }));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
