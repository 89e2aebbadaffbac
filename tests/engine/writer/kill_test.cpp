// Claim: a write that was answered survives kill -9, and none is ever half there.
// Method: a child process writes from four threads and reports each answer through a pipe; it is killed after a random
// number of answers, wherever its writer then is. The store is verified, opened and compared with what was answered.
// WHENCE_TEST_KILL_CYCLES=N sets how often; the seed is printed on failure.

#include "store/verify/verify.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::test {
namespace {

constexpr int threads = 4;

/// Names one batch: which cycle, which thread, how many before it.
struct Stamp {
  int cycle;
  int thread;
  int number;

  friend auto operator<=>(Stamp const&, Stamp const&) = default;
  [[nodiscard]] std::string text() const {
    return std::to_string(cycle) + "_" + std::to_string(thread) + "_" + std::to_string(number);
  }
};

engine::WriteBatch stamped(Stamp const& stamp) {
  auto const name = stamp.text();
  auto const a = "cu_a_" + name;
  auto const b = "cu_b_" + name;
  return batch({unit(a), unit(b), response("resp_" + name, {a.c_str(), b.c_str()}),
                feedback("fb_" + name, "resp_" + name, 0.5)});
}

/// The child's work until it is killed.
[[noreturn]] void write_for_ever(engine::EngineConfig const& config, int cycle, int pipe) {
  SettableClock const clock(at_second(3600));
  CountingIds ids;
  auto const opened = engine::Engine::open(config, clock, ids);
  if (!opened) ::_exit(1);
  auto& engine = **opened;
  std::vector<std::jthread> writers;
  for (int thread = 0; thread < threads; ++thread) {
    writers.emplace_back([&, thread] {
      for (int number = 0;; ++number) {
        Stamp const stamp{cycle, thread, number};
        if (!engine.write(stamped(stamp))) ::_exit(2);
        if (::write(pipe, &stamp, sizeof stamp) != sizeof stamp) ::_exit(3);  // atomic: far below PIPE_BUF
      }
    });
  }
  writers.clear();
  ::_exit(4);
}

/// Runs a child for `answers` answers, kills it, and returns all it was answered.
std::set<Stamp> run_and_kill(engine::EngineConfig const& config, int cycle, std::size_t answers) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  auto const child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    write_for_ever(config, cycle, ends[1]);
  }
  ::close(ends[1]);
  std::set<Stamp> answered;
  for (Stamp stamp{}; ::read(ends[0], &stamp, sizeof stamp) == sizeof stamp;) {
    answered.insert(stamp);
    if (answered.size() == answers) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFSIGNALED(status));
  return answered;
}

/// Whether the batch of `stamp` is there, all of it; fails the test where only a part is.
bool is_there(graph::Snapshot const& snapshot, Stamp const& stamp) {
  auto const name = stamp.text();
  auto const a = snapshot.find(schema::RecordType::context_unit, "cu_a_" + name);
  auto const b = snapshot.find(schema::RecordType::context_unit, "cu_b_" + name);
  auto const response = snapshot.find(schema::RecordType::response, "resp_" + name);
  auto const feedback = snapshot.find(schema::RecordType::feedback_record, "fb_" + name);
  BOOST_REQUIRE((a.has_value() == b.has_value() && b.has_value() == response.has_value() &&
                 response.has_value() == feedback.has_value()));
  if (!response) return false;
  BOOST_REQUIRE(snapshot.causes(*response).size() == 2);
  BOOST_REQUIRE(snapshot.relations_from(*feedback).size() == 1);
  BOOST_REQUIRE(snapshot.state(*a).count == 1);
  return true;
}

BOOST_AUTO_TEST_CASE(answered_writes_survive_kill_9_and_none_is_partial) {
  auto const* given = std::getenv("WHENCE_TEST_KILL_CYCLES");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  int const cycles = given != nullptr ? std::atoi(given) : is_sanitized ? 3 : 10;
  std::uint64_t const seed = whence::test::seed_from_environment();
  std::mt19937_64 random(seed);
  TemporaryDirectory const directory;
  engine::EngineConfig const config{.directory = directory.path() / "store"};
  std::set<Stamp> answered;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    BOOST_TEST_CONTEXT("cycle " << cycle << ", WHENCE_TEST_SEED=" << seed) {
      auto answered_now = run_and_kill(config, cycle, std::uniform_int_distribution<std::size_t>(1, 200)(random));
      auto const report = store::verify(config.directory).value();
      for (auto const& problem : report.problems) BOOST_TEST_MESSAGE(problem.where << ": " << problem.message);
      BOOST_REQUIRE(report.is_ok);
      SettableClock const clock(at_second(3600));
      CountingIds ids;
      auto const opened = engine::Engine::open(config, clock, ids);
      BOOST_REQUIRE(opened.has_value());
      auto const snapshot = (*opened)->snapshot();
      for (auto const& stamp : answered_now) BOOST_REQUIRE(is_there(snapshot, stamp));
      answered.merge(answered_now);
      if (cycle + 1 == cycles) {
        for (auto const& stamp : answered) BOOST_REQUIRE(is_there(snapshot, stamp));
      }
      // A batch without an answer is stored completely or not at all: each batch is four records and three edges.
      BOOST_TEST(snapshot.vertex_count() == 4 * schema::number(snapshot.tx()));
      BOOST_TEST(snapshot.edge_count() == 3 * schema::number(snapshot.tx()));
    }
  }
}

}  // namespace
}  // namespace whence::test
