#pragma once
// A replicated log in memory that behaves as badly as a network may, under a seed: publications that get lost, whose
// answers get lost, or that arrive late and out of order; groups that arrive late or twice; a log that does not answer.

#include "store/replicated/shared_log.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace whence::test {

/// How often something goes wrong, 0 to 1.
struct LogFaults {
  double lost = 0;        ///< a publication never arrives
  double unanswered = 0;  ///< it arrives, the answer does not
  double late = 0;        ///< it arrives after others, the answer does not
  double slow = 0;        ///< `next` does not see yet what is there
  double repeated = 0;    ///< `next` returns a group again
  double silent = 0;      ///< `is_at_end` and `start_after` get no answer
  double stale = 0;       ///< `is_at_end` says yes, as a leader does that was replaced and does not know
  double forked = 0;      ///< a publication is taken though others came before it: no log should
};

/// The log itself. Every member may be called from any thread.
class SimulatedLog {
 public:
  explicit SimulatedLog(std::uint64_t seed) : random_{seed} {}

  void set(LogFaults const& faults);
  /// A node's end of the log. The log outlives it.
  [[nodiscard]] std::unique_ptr<store::SharedLog> connect();
  /// Removes the first `count` groups, as an operator does who has a backup.
  void trim(std::size_t count);
  /// Changes a byte in the middle of group `index`.
  void damage(std::size_t index);
  /// Lets a group that follows another of its sender expect the number of that one's place and not that one itself:
  /// what a log does not do.
  void expect_places_only() { expects_places_only_ = true; }
  /// Sets what is called after a node has sent a group, on its thread.
  void on_send(std::function<void()> sent);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t refused() const;

 private:
  class End;
  struct Group {
    std::vector<std::byte> bytes;
    schema::TxId base;
    schema::TxId head;
    std::uint64_t id;
  };
  /// What must be at the end of the log: so many groups, and `group` as the last of them (0: whichever).
  struct Expected {
    std::size_t place;
    std::uint64_t group;
  };
  struct Late {
    Group group;
    Expected expected;
  };

  [[nodiscard]] store::Published publish(Group group, Expected const& expected);
  void deliver_late();
  bool append(Group group, Expected const& expected);
  bool happens(double how_often) { return std::bernoulli_distribution{how_often}(random_); }
  void tell_all();

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  LogFaults faults_;
  std::vector<Group> groups_;
  std::size_t trimmed_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t last_id_ = 0;
  bool expects_places_only_ = false;
  std::function<void()> sent_;
  std::vector<Late> late_;
  std::map<End*, std::function<void()>> arrivals_;
};

}  // namespace whence::test
