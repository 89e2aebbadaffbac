// Claim: clients take turns at the thread of a queue, and none fills it. Method: the work on the first item waits until
// all others are there, so that their order is that of the queue.
#include "net/work/group_queue.hpp"

#include <cstddef>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

struct Fixture {
  std::promise<void> may_go_on;
  std::promise<void> has_begun;
  std::mutex mutex;
  std::vector<std::string> groups;  // guarded by mutex
  std::vector<std::string> refused;

  GroupQueue<std::string> queue{{.waiting_max = 16, .group_max = 8},
                                [this](std::vector<std::string>& group) {
                                  if (group.front() == "first") {
                                    has_begun.set_value();
                                    may_go_on.get_future().wait();
                                    return;
                                  }
                                  std::string all;
                                  for (auto const& each : group) all += each;
                                  std::lock_guard const lock(mutex);
                                  groups.push_back(all);
                                },
                                [this](std::vector<std::string>& group) { refused = group; }};

  void begin() {
    std::string first = "first";
    BOOST_TEST(queue.push(first));
    has_begun.get_future().wait();
  }
  [[nodiscard]] std::vector<std::string> done(std::size_t count) {
    may_go_on.set_value();
    for (;;) {
      std::lock_guard const lock(mutex);
      if (groups.size() >= count) return groups;
    }
  }
};

BOOST_FIXTURE_TEST_CASE(clients_of_a_queue_take_turns, Fixture) {
  begin();
  for (int i = 0; i < 10; ++i) {
    std::string item = "a";
    BOOST_TEST(queue.push(item, "A"));
  }
  std::string late = "b";
  BOOST_TEST(queue.push(late, "B"));
  // Two wait: half a group of each; then one alone.
  BOOST_TEST(done(3) == (std::vector<std::string>{"aaaa", "b", "aaaaaa"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(one_client_leaves_places_to_others, Fixture) {
  begin();
  for (int i = 0; i < 14; ++i) {
    std::string item = "a";
    BOOST_TEST(queue.push(item, "A"));
  }
  std::string item = "x";
  BOOST_TEST(!queue.push(item, "A"));
  BOOST_TEST(item == "x");
  BOOST_TEST(queue.push(item, "B"));
  item = "y";
  BOOST_TEST(queue.push(item, "C"));
  item = "z";
  BOOST_TEST(!queue.push(item, "D"));
  BOOST_TEST(done(5).front() == "aa");
}

}  // namespace
}  // namespace whence::net
