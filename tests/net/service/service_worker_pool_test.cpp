#include "net/work/worker_pool.hpp"
#include "tests/support/wait_until.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

/// Claim: tasks of a queue run in order and never two at once. Method: a thousand tasks on two threads, each of which
/// looks for another that is running.
BOOST_AUTO_TEST_CASE(a_queue_of_one_runs_its_tasks_in_order_and_one_at_a_time) {
  constexpr int count = 1000;
  std::vector<int> order;
  std::atomic<int> running = 0;
  bool is_overlapping = false;
  std::promise<void> finished;
  WorkerPool pool(2);
  WorkQueue queue(pool, 1);
  for (int i = 0; i < count; ++i) {
    queue.post([&, i] {
      if (running.fetch_add(1) != 0) is_overlapping = true;
      order.push_back(i);
      running.fetch_sub(1);
      if (i + 1 == count) finished.set_value();
    });
  }
  finished.get_future().get();
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  BOOST_TEST(order == expected, boost::test_tools::per_element());
  BOOST_TEST(!is_overlapping);
}

BOOST_AUTO_TEST_CASE(tasks_of_several_queues_run_beside_each_other) {
  std::promise<void> first_begun;
  std::promise<void> second_done;
  std::promise<void> first_done;
  WorkerPool pool(2);
  WorkQueue first(pool, 1);
  WorkQueue second(pool, 1);
  first.post([&] {
    first_begun.set_value();
    second_done.get_future().get();
    first_done.set_value();
  });
  first_begun.get_future().get();
  second.post([&] { second_done.set_value(); });
  first_done.get_future().get();
}

/// Claim: one client's tasks, of however many queues, leave a thread to others. Method: tasks that end when told, of
/// twenty queues of one group; then one of another.
BOOST_AUTO_TEST_CASE(the_queues_of_one_client_leave_a_thread_to_others) {
  std::promise<void> release;
  auto const released = release.get_future().share();
  WorkerPool pool(2);
  std::vector<std::unique_ptr<WorkQueue>> queues;
  for (int i = 0; i < 20; ++i) {
    queues.push_back(std::make_unique<WorkQueue>(pool, 1, pool.group_of("name a")));
    queues.back()->post([released] { released.wait(); });
  }
  WorkQueue other(pool, 1, pool.group_of("name b"));
  std::promise<void> answered;
  other.post([&] { answered.set_value(); });
  answered.get_future().get();
  release.set_value();
}

/// Claim: long tasks of one client do not hold up its own short ones, up to a bound. Method: as above, on two threads;
/// the short one goes on when the long ones are put aside.
BOOST_AUTO_TEST_CASE(long_tasks_are_put_aside) {
  std::promise<void> release;
  auto const released = release.get_future().share();
  WorkerPool pool(2);
  std::vector<std::unique_ptr<WorkQueue>> queues;
  for (int i = 0; i < 4; ++i) {
    queues.push_back(std::make_unique<WorkQueue>(pool, 1, pool.group_of("name a")));
    queues.back()->post([released] { released.wait(); });
  }
  WorkQueue same(pool, 1, pool.group_of("name a"));
  std::promise<void> answered;
  same.post([&] { answered.set_value(); });
  answered.get_future().get();
  // The short one may have had its turn before the last of them.
  BOOST_TEST(test::wait_until([&] { return pool.load().aside >= 4U; }));
  release.set_value();
}

/// Claim: what waits behind a task that was put aside runs when that ends, though its thread ends with it and nobody
/// posts anything more. Method: a thread, whose task another queue's task passes when it is put aside.
BOOST_AUTO_TEST_CASE(what_waits_behind_a_task_put_aside_runs_after_it) {
  std::promise<void> release;
  std::promise<void> passed;
  std::promise<void> later;
  WorkerPool pool(1);
  WorkQueue queue(pool, 1);
  WorkQueue other(pool, 1);
  queue.post([&] { release.get_future().get(); });
  queue.post([&] { later.set_value(); });
  other.post([&] { passed.set_value(); });
  passed.get_future().get();
  release.set_value();
  later.get_future().get();
}

BOOST_AUTO_TEST_CASE(a_task_that_throws_is_told_and_those_after_it_run) {
  std::promise<std::string> told;
  std::promise<void> later;
  WorkerPool pool(1, [&](std::string_view trouble) { told.set_value(std::string{trouble}); });
  WorkQueue queue(pool, 1);
  queue.post([] { throw std::runtime_error("no store"); });
  queue.post([&] { later.set_value(); });
  later.get_future().get();
  BOOST_TEST(told.get_future().get() == "worker: no store; its task has no answer, the others go on");
}

BOOST_AUTO_TEST_CASE(a_pool_waits_for_running_tasks_and_keeps_none_behind) {
  std::promise<void> begun;
  std::promise<void> release;
  bool is_finished = false;
  auto task_owned = std::make_shared<int>(0);
  std::weak_ptr<int> const watched = task_owned;
  {
    WorkerPool pool(1);
    WorkQueue queue(pool, 1);
    queue.post([&] {
      begun.set_value();
      release.get_future().get();
      is_finished = true;
    });
    for (int i = 0; i < 100; ++i) queue.post([task_owned] { ++*task_owned; });
    task_owned.reset();
    begun.get_future().get();
    release.set_value();
  }
  BOOST_TEST(is_finished);
  BOOST_TEST(watched.expired());
}

/// Claim: one queue with many tasks neither takes all threads nor delays another queue by more than a task of its own.
BOOST_AUTO_TEST_CASE(a_queue_leaves_a_thread_and_its_turn_to_others) {
  WorkerPool pool(2);
  WorkQueue busy(pool, pool.share_max());
  WorkQueue other(pool, pool.share_max());
  std::promise<void> begun;
  std::promise<void> release;
  std::promise<void> all_done;
  std::vector<int> order;
  std::mutex mutex;
  auto const note = [&](int number) {
    std::lock_guard const lock(mutex);
    order.push_back(number);
    if (order.size() == 12) all_done.set_value();
  };
  busy.post([&] {
    begun.set_value();
    release.get_future().get();
    note(0);
  });
  begun.get_future().get();
  for (int i = 1; i <= 10; ++i) busy.post([&, i] { note(i); });
  std::promise<void> answered;
  other.post([&] {
    note(100);
    answered.set_value();
  });
  answered.get_future().get();  // while `busy` has its one thread, and ten tasks more
  release.set_value();
  all_done.get_future().get();
  std::vector<int> expected = {100};
  for (int i = 0; i <= 10; ++i) expected.push_back(i);
  BOOST_TEST(order == expected, boost::test_tools::per_element());
}

}  // namespace
}  // namespace whence::net
