#pragma once
// Lets contents expire that are older than the operator keeps them: at start, then hourly, and when asked.

#include "engine/engine.hpp"
#include "net/log.hpp"
#include "queries/retention/retention.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace whence::net {

/// Owns one thread where there are rules. Any thread may call `run`.
class Retention {
 public:
  /// What one run found, and removed unless it was a dry one.
  struct Outcome {
    queries::Expiry found;
    schema::TxId tx = {};  ///< the head afterwards
  };

  /// `engine` and `clock` outlive it.
  Retention(engine::Engine& engine, schema::Clock const& clock, queries::RetentionRules const& rules, LogSink log);
  /// Ends after the slice that it is writing.
  ~Retention();
  Retention(Retention const&) = delete;
  Retention& operator=(Retention const&) = delete;

  [[nodiscard]] queries::RetentionRules const& rules() const noexcept { return rules_; }

  /// Removes, in transactions of at most 1,000 records, so that other writes come between. Fails with `busy` or
  /// `storage_full` as writes do, and with `cancelled` where the service ends; what went before stays gone.
  [[nodiscard]] Result<Outcome> run(bool is_dry);

 private:
  void work();
  void report(Result<Outcome> const& outcome) const;

  engine::Engine& engine_;
  schema::Clock const& clock_;
  queries::RetentionRules const rules_;
  LogSink const log_;
  std::mutex running_;  ///< one run at a time
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ending_ = false;  ///< guarded by `mutex_`
  std::thread thread_;
};

}  // namespace whence::net
