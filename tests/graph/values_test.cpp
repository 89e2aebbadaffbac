// Values of edges. Claim: every value comes back with the bits it was given with, whether it is kept as a short code or
// in full, after a rollback too, and takes no more memory than its kind needs. Method: by hand at the corners of the
// codes, random doubles of all sizes against a plain list.
#include "tests/graph/world.hpp"
#include "tests/support/seed.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct Scored : World {
  VertexId unit_a = unit("cu_a");
  VertexId response_a = response("resp_a");

  /// As the graph gives it back, published.
  std::optional<double> returned(std::optional<double> value) {
    return now().value(edge(EdgeType::used_in, unit_a, response_a, value));
  }
  std::uint64_t bytes() const { return graph.memory().adjacency; }
};

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

double random_value(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return static_cast<double>(random() % 20'001) / 10'000 - 1;
    case 1:
      return static_cast<double>(random() % 2'000'001) / 1'000'000;
    case 2:
      return static_cast<double>(random() % (1U << 26U)) - (1 << 10);
    case 3:
      return std::uniform_real_distribution{-2.0, 2.0}(random);
    default: {
      auto const value = std::bit_cast<double>(random());
      return std::isnan(value) ? 0.5 : value;
    }
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(values, Scored)

BOOST_AUTO_TEST_CASE(come_back_with_all_their_bits) {
  auto const infinity = std::numeric_limits<double>::infinity();
  for (double const value : {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             0.35,
                             -0.87,
                             1e-7,
                             -1e-7,
                             5e-8,
                             1e-9,
                             0.1234567,
                             0.12345678,
                             1.0 / 3,
                             0.1F * 1.0,
                             std::nextafter(1.0, 0.0),
                             std::nextafter(1.0, 2.0),
                             1.5,
                             2.0,
                             -2.0,
                             7.0,
                             16'777'215.0,
                             16'777'216.0,
                             16'777'217.0,
                             1'700'000'000.0,
                             1e300,
                             -1e300,
                             infinity,
                             -infinity,
                             std::numeric_limits<double>::denorm_min(),
                             -std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max()}) {
    auto const back = returned(value);
    BOOST_REQUIRE(back);
    BOOST_TEST(bits(*back) == bits(value), value);
  }
  BOOST_TEST(!returned(std::nullopt));
}

BOOST_AUTO_TEST_CASE(of_all_kinds_keep_apart) {
  std::mt19937_64 random{seed_from_environment()};
  std::vector<std::optional<double>> given;
  begin();
  for (int i = 0; i < 5'000; ++i) {
    given.push_back(random() % 8 == 0 ? std::nullopt : std::optional{random_value(random)});
    (void)graph.add_edge(EdgeType::used_in, unit_a, response_a, given.back());
  }
  end();
  for (std::uint32_t i = 0; i < given.size(); ++i) {
    auto const value = now().value(EdgeId{i});
    BOOST_REQUIRE(value.has_value() == given[i].has_value());
    if (value) BOOST_REQUIRE(bits(*value) == bits(*given[i]));
  }
}

BOOST_AUTO_TEST_CASE(of_decimals_of_seven_places_and_integers_take_four_bytes) {
  // The list has room for one edge more, of three.
  for (int i = 0; i < 3; ++i) (void)returned(0.25);
  auto const before = bytes();
  (void)returned(0.1234567);
  auto const short_value = bytes() - before;
  World other;
  auto const u = other.unit("cu_a");
  auto const r = other.response("resp_a");
  for (int i = 0; i < 3; ++i) other.use(u, r, 0.25);
  auto const other_before = other.graph.memory().adjacency;
  other.use(u, r, 1.0 / 3);
  BOOST_TEST(short_value == 5U);
  BOOST_TEST(other.graph.memory().adjacency - other_before == short_value + sizeof(double));
}

BOOST_AUTO_TEST_CASE(rolled_back_are_forgotten) {
  auto const kept = edge(EdgeType::used_in, unit_a, response_a, 1.0 / 3);
  begin();
  for (int i = 0; i < 3; ++i) (void)graph.add_edge(EdgeType::used_in, unit_a, response_a, 1.0 / 7);
  graph.rollback();
  tx = schema::number(now().tx());
  auto const next = edge(EdgeType::used_in, unit_a, response_a, 1.0 / 9);
  BOOST_TEST(now().value(kept).value() == 1.0 / 3);
  BOOST_TEST(now().value(next).value() == 1.0 / 9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
