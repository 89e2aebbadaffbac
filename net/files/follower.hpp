#pragma once
// Keeps the files of discussions behind the store no longer than it must: they are written after each commit that
// changes them and before its answer, on threads of their own.

#include "engine/engine.hpp"
#include "engine/values/write_answer.hpp"
#include "net/base/log.hpp"
#include "net/files/follower_metrics.hpp"
#include "net/work/alarms.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace whence::net {

struct FollowerTimes {
  std::chrono::milliseconds answer_max{5'000};  ///< an answer waits so long for the files at most: a folder may hang
  std::chrono::milliseconds retry_min{1'000};   ///< after the first failure; doubled after each
  std::chrono::milliseconds retry_max{25'000};
  std::chrono::milliseconds others_every{500};  ///< how often what other nodes wrote is looked for
};

/// Writes the files of discussions behind the engine's back: the writer thread, the I/O threads and the workers never
/// wait for a disk here. A pair that cannot be written is tried again until it can, and with the next save. At the
/// start, and where too many wait, all discussions are compared with their files by time. What other nodes of a
/// replicated log write to discussions is read from the transactions, some hundred milliseconds later.
///
/// Every member may be called from any thread. Invariants: 1. a discussion is written by one thread at a time, from the
/// newest state. 2. who waits for a discussion is answered after an attempt that began after its commit, or after
/// `answer_max`. 3. `jobs_` holds the discussions that are to be written, each due at one moment or running.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  /// `engine` and `clock` outlive it. Without a folder for files it does nothing.
  Follower(engine::Engine& engine, schema::Clock const& clock, std::shared_ptr<Alarms> alarms, LogSink log,
           FollowerTimes times = {});
  /// As `stop`.
  ~Follower();
  Follower(Follower const&) = delete;
  Follower& operator=(Follower const&) = delete;

  /// Calls `done` with the answer once the files of its discussions were written or tried, with a warning (rule
  /// "files") for each that is behind. At once where there are none. Never blocks.
  void follow(Result<engine::WriteAnswer> answer, engine::WriteDone done);

  /// Ends after the attempts that run; who waits is answered. Again: no effect.
  void stop();

  /// Whether a save waits for the files of a discussion now.
  [[nodiscard]] bool is_being_saved(engine::DiscussionIds const& name) const;

  /// Logs and counts that the file of a discussion does not agree with the store.
  void report_out_of_sync(engine::DiscussionIds const& name, Violation const& warning);

  /// Logs that somebody edited the file of a discussion, and what became of that.
  void report_edited(engine::DiscussionIds const& name, std::string const& what) const;

  [[nodiscard]] FollowerMetrics metrics() const;

 private:
  using Name = engine::DiscussionIds;
  static constexpr std::size_t jobs_max = 100'000;  ///< that wait after a failure; more are found by their time again
  struct Waiter;
  struct Job {
    std::vector<std::shared_ptr<Waiter>> waiting = {};
    unsigned failures = 0;
    bool is_running = false;
    bool is_changed = false;  ///< since the attempt that runs began
    Moment due = {};
  };
  struct Outcome {
    enum class Kind : std::uint8_t { written, nothing, kept, failed, refused } kind = Kind::nothing;
    std::string problem = {};
  };

  void keep_at(std::function<void()> const& loop);
  void work();
  void sweep();
  void follow_others(schema::TxId seen);
  [[nodiscard]] schema::TxId put_due_after(schema::TxId seen);
  [[nodiscard]] bool sweep_once();
  [[nodiscard]] bool is_stale(graph::Snapshot const& now, schema::VertexId discussion, Name const& name) const;
  [[nodiscard]] Outcome attempt(Name const& name) const;
  void put_due(Name const& name, Job& job, Moment due);
  unsigned settle(Name const& name, Outcome const& outcome);
  void count(Outcome const& outcome);
  void log(Name const& name, Outcome const& outcome, std::size_t failures) const;
  void answer_late(std::shared_ptr<Waiter> const& waiter);

  engine::Engine& engine_;
  schema::Clock const& clock_;
  std::shared_ptr<Alarms> const alarms_;
  LogSink const log_;
  FollowerTimes const times_;

  mutable std::mutex mutex_;  // guards all below but the threads
  std::condition_variable changed_;
  std::map<Name, Job> jobs_;
  std::set<std::pair<Moment, Name>> due_;
  FollowerMetrics metrics_ = {};
  bool needs_sweep_ = true;
  bool is_stopping_ = false;
  std::vector<std::jthread> threads_;  ///< last: joined before what they use goes
};

}  // namespace whence::net
