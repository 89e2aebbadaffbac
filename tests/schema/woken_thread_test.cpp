// A thread that works when it is woken.
#include "schema/threads/woken_thread.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

using Sleep = WokenThread::Sleep;
using namespace std::chrono_literals;

/// Counts pieces of work, and waits for them.
class Work {
 public:
  void note() {
    ++count_;
    count_.notify_all();
  }
  void wait_for(int count) const {
    for (int now = count_; now < count; now = count_) count_.wait(now);
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

BOOST_AUTO_TEST_SUITE(woken_threads)

BOOST_AUTO_TEST_CASE(works_once_at_its_start_and_for_each_wake_that_comes_while_it_sleeps) {
  Work work;
  WokenThread thread{{}, "test", "it goes on"};
  std::atomic<bool> has_begun = false;
  thread.start(
      [&](std::stop_token const&) {
        work.note();
        return Sleep{};
      },
      [&] { has_begun = true; });
  for (int i = 1; i <= 20; ++i) {
    work.wait_for(i);
    thread.wake();
  }
  work.wait_for(21);
  thread.stop();
  thread.stop();
  BOOST_TEST(has_begun);
  BOOST_TEST(work.count() == 21);
}

BOOST_AUTO_TEST_CASE(a_wake_while_it_works_is_one_more_piece_of_work) {
  Work work;
  std::promise<void> go_on;
  WokenThread thread{{}, "test", "it goes on"};
  thread.start([&](std::stop_token const&) {
    work.note();
    if (work.count() == 1) go_on.get_future().wait();
    return Sleep{};
  });
  work.wait_for(1);
  for (int i = 0; i < 5; ++i) thread.wake();
  go_on.set_value();
  work.wait_for(2);
  thread.wake();
  work.wait_for(3);
  thread.stop();
  BOOST_TEST(work.count() == 3);
}

BOOST_AUTO_TEST_CASE(works_again_after_the_most_that_it_sleeps_and_not_before_the_least) {
  Work work;
  WokenThread thread{{}, "test", "it goes on"};
  thread.start([&](std::stop_token const&) {
    work.note();
    return work.count() < 4 ? Sleep{.most = 1ms} : Sleep{.least = 1h};
  });
  work.wait_for(4);
  for (int i = 0; i < 5; ++i) thread.wake();
  thread.stop();  // also where it sleeps an hour
  BOOST_TEST(work.count() == 4);
  BOOST_TEST(thread.is_stopping());
}

BOOST_AUTO_TEST_CASE(what_it_throws_is_reported_and_the_next_wake_is_another_try) {
  Work work;
  std::vector<std::string> told;
  WokenThread thread{[&](std::string_view trouble) { told.emplace_back(trouble); }, "test", "it goes on"};
  thread.start([&](std::stop_token const&) -> Sleep {
    work.note();
    if (work.count() == 1) throw std::runtime_error("no room");
    return {};
  });
  work.wait_for(1);
  thread.wake();
  work.wait_for(2);
  thread.stop();
  BOOST_TEST(!thread.run([] { throw std::runtime_error("at the end"); }));
  BOOST_TEST(told == (std::vector<std::string>{"test: no room; it goes on", "test: at the end; it goes on"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_was_never_started_ends_at_once) {
  WokenThread thread{{}, "test", "it goes on"};
  thread.wake();
  thread.stop();
  BOOST_TEST(thread.is_stopping());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::schema
