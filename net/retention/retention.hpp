#pragma once
// Lets contents expire that are older than the operator keeps them: at start, then hourly, and when asked.

#include "engine/engine.hpp"
#include "net/base/log.hpp"
#include "queries/retention/retention.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/threads/woken_thread.hpp"
#include "schema/types/author.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace whence::net {

/// When contents expire by themselves, and when the clock is doubted.
struct RetentionTimes {
  std::chrono::milliseconds between_runs = std::chrono::hours{1};
  std::chrono::seconds ahead_max = std::chrono::hours{24};  ///< at least; or a quarter of the shortest rule
};

/// Owns one thread where there are rules. Any thread may call `run`.
///
/// What expires is lost, so a clock that is far ahead is not believed. Expected is the time of the last commit at
/// start, or of the last run, and what has passed since by the steady clock. Where the clock is further ahead of it
/// than may be, nothing expires by itself until the clock is back, or somebody asks for a run.
class Retention {
 public:
  /// What one run found, and removed unless it was a dry one.
  struct Outcome {
    queries::Expiry found;
    schema::TxId tx = {};  ///< the head afterwards
  };

  /// `engine` and `clock` outlive it.
  Retention(engine::Engine& engine, schema::Clock const& clock, queries::RetentionRules const& rules, LogSink log,
            RetentionTimes times = {});

  [[nodiscard]] queries::RetentionRules const& rules() const noexcept { return rules_; }

  /// Removes in the name of `author.who` and for its reason, in transactions of at most 1,000 records, so that other
  /// writes come between. Fails with `busy` or `storage_full` as writes do, and with `cancelled` where the service
  /// ends; what went before stays gone.
  [[nodiscard]] Result<Outcome> run(bool is_dry, schema::Author const& author = {});

  /// Whether contents are old by the clock and are kept, since the clock is doubted.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }

 private:
  struct Trusted {
    schema::Time clock;
    std::chrono::steady_clock::time_point steady;
  };

  void run_by_itself();
  [[nodiscard]] Result<Outcome> find(schema::Time now) const;
  [[nodiscard]] Result<void> leave_held(graph::Snapshot const& snapshot, schema::Time now,
                                        queries::Expiry& found) const;
  [[nodiscard]] Result<Outcome> remove(Outcome outcome, schema::Author const& author);
  [[nodiscard]] schema::Time expected() const;
  void hold(schema::Time now, schema::Time expected, std::size_t records);
  void report(Result<Outcome> const& outcome) const;

  engine::Engine& engine_;
  schema::Clock const& clock_;
  queries::RetentionRules const rules_;
  LogSink const log_;
  RetentionTimes const times_;
  std::mutex running_;  ///< one run at a time
  Trusted trusted_;     ///< guarded by `running_`
  std::atomic<bool> is_held_ = false;
  schema::WokenThread thread_;  ///< last: it ends first, after the slice that it is writing
};

}  // namespace whence::net
