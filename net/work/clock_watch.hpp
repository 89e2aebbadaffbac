#pragma once
// Logs where the system's clock is set, or where it is behind the store.

#include "engine/engine.hpp"
#include "net/base/log.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace whence::net {

/// Any thread may call any member.
class ClockWatch {
 public:
  using Steady = std::chrono::steady_clock;

  /// `engine` and `clock` outlive it.
  ClockWatch(engine::Engine const& engine, schema::Clock const& clock, LogSink log);

  /// Compares the clock with the time that has passed, at most once a second. To be called more often than that. The
  /// first call compares it with the last commit. `steady` is the present, for tests another one that never decreases.
  void look(Steady::time_point steady = Steady::now());

  /// Seconds by which the clock is behind the last commit; commit times stand still for so long. 0 where it is not.
  [[nodiscard]] std::uint64_t behind_s() const;

 private:
  struct Seen {
    schema::Time clock;
    Steady::time_point steady;
  };
  void report(std::string_view event, std::int64_t by_s, schema::Time now) const;

  engine::Engine const& engine_;
  schema::Clock const& clock_;
  LogSink const log_;
  std::mutex mutex_;
  std::optional<Seen> seen_;  ///< guarded by `mutex_`
};

}  // namespace whence::net
