#include "tests/net/session/session_fixture.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

// What pages and streams may order differently from one large page: nothing within a list.
struct Items {
  json::array nodes;
  json::array edges;
};

void append(json::array& to, json::array const& from) {
  to.insert(to.end(), from.begin(), from.end());
}

json::array sorted(json::array items) {
  std::sort(items.begin(), items.end(),
            [](auto const& a, auto const& b) { return json::serialize(a) < json::serialize(b); });
  return items;
}

struct WalkFixture : SessionFixture {
  WalkFixture(std::size_t cache_bytes, std::uint64_t seed)
      : SessionFixture({.cursor_cache_bytes = cache_bytes}), random(seed) {}

  std::mt19937_64 random;

  std::string params(std::string const& rest) const { return R"({"ref":"cu_root","form":"graph")" + rest + "}"; }

  Items whole() {
    json::value const page = result("lineage.descendants", params(R"(,"as_of":1,"limit":10000)"));
    BOOST_TEST(page.at("complete").as_bool());
    return {page.at("nodes").as_array(), page.at("edges").as_array()};
  }
  Items walked() {
    Items items;
    json::value page =
        result("lineage.descendants", params(R"(,"as_of":1,"limit":)" + std::to_string(1 + random() % 400)));
    for (;;) {
      append(items.nodes, page.at("nodes").as_array());
      append(items.edges, page.at("edges").as_array());
      if (page.at("complete").as_bool()) return items;
      page = result("lineage.descendants", R"({"limit":)" + std::to_string(1 + random() % 400) + R"(,"cursor":")" +
                                               std::string(page.at("cursor").as_string()) + "\"}");
    }
  }
  Items streamed() {
    host.sent.clear();
    result("lineage.descendants", params(R"(,"as_of":1,"stream":{"credit":1000})"));
    Items items;
    for (json::value const& partial : notifications("$/partial")) {
      for (json::value const& item : partial.at("items").as_array()) {
        (item.as_object().contains("from") ? items.edges : items.nodes).push_back(item);
      }
    }
    return items;
  }
};

/// Claim: the pages of a cursor, and a stream, hold the items of the one large answer, each once, nodes in its order,
/// while writes go on. Method: random page sizes from a printed seed beside a writing thread; the cache of answers is
/// too small for some of the pages, so that they are evaluated again.
BOOST_AUTO_TEST_CASE(a_cursor_walk_and_a_stream_equal_the_single_large_answer_while_writes_go_on) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  for (std::size_t const cache_bytes : {std::size_t{0}, std::size_t{64} << 20}) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << " cache " << cache_bytes) {
      WalkFixture f(cache_bytes, seed);
      f.put_fan(1500);
      std::atomic<bool> is_enough = false;
      std::thread writer([&] {
        for (int i = 0; !is_enough; ++i) f.put({derived("cu_later_" + std::to_string(i), {"cu_root"})});
      });
      Items const whole = f.whole();
      for (int round = 0; round < 3; ++round) {
        for (Items const& items : {f.walked(), f.streamed()}) {
          BOOST_TEST(items.nodes == whole.nodes);
          BOOST_TEST(sorted(items.edges) == sorted(whole.edges));
        }
      }
      is_enough = true;
      writer.join();
    }
  }
}

}  // namespace
}  // namespace whence::test
