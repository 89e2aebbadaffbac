// The table of the ids of a batch: what was added is found under its hash, and by what it is where hashes are equal.

#include "engine/plan/first_named.hpp"

#include <cstdint>
#include <random>
#include <unordered_map>

#include <boost/test/unit_test.hpp>

using whence::engine::FirstNamed;

namespace {

bool has(FirstNamed const& named, std::uint64_t hash, std::uint32_t wanted) {
  return named.find(hash, [&](std::uint32_t number) { return number == wanted; }) == wanted;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(first_named)

BOOST_AUTO_TEST_CASE(an_empty_table_finds_nothing) {
  FirstNamed const named(0);
  BOOST_TEST(!has(named, 0, 0));
  BOOST_TEST(!has(named, ~std::uint64_t{0}, 0));
}

BOOST_AUTO_TEST_CASE(numbers_under_one_hash_are_told_apart) {
  FirstNamed named(2);
  for (std::uint32_t number = 0; number < 40; ++number) named.add(0xffff'ffff'0000'0000, number);
  for (std::uint32_t number = 0; number < 40; ++number) BOOST_TEST(has(named, 0xffff'ffff'0000'0000, number));
  BOOST_TEST(!has(named, 0xffff'ffff'0000'0000, 40));
  BOOST_TEST(!has(named, 0xffff'fffe'0000'0000, 7));
}

BOOST_AUTO_TEST_CASE(more_numbers_than_expected_are_found) {
  std::mt19937_64 random(20251009);
  std::unordered_map<std::uint64_t, std::uint32_t> hashes;
  FirstNamed named(3);
  for (std::uint32_t number = 0; number < 10'000; ++number) {
    auto const hash = random();
    hashes.emplace(hash, number);
    named.add(hash, number);
  }
  for (auto const& [hash, number] : hashes) BOOST_REQUIRE(has(named, hash, number));
  for (int i = 0; i < 10'000; ++i) {
    auto const found = named.find(random(), [](std::uint32_t) { return false; });
    BOOST_REQUIRE(!found);
  }
}

BOOST_AUTO_TEST_SUITE_END()
