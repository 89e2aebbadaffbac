#pragma once
// Writes events of OpenLineage. Requests come from many connections and are written one group after the other, since
// what an event becomes depends on what is known of its datasets.

#include "engine/engine.hpp"
#include "net/base/log.hpp"
#include "net/openlineage/derivation.hpp"
#include "net/openlineage/event.hpp"
#include "net/openlineage/facts_cache.hpp"
#include "net/work/group_queue.hpp"
#include "schema/base/error.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::net::openlineage {

/// What became of one event.
struct EventOutcome {
  std::optional<Error> refused = {};       ///< why; nothing where it is on disk
  std::vector<std::string> left_out = {};  ///< facets that would bring a thing over its bound
};

/// What became of the events of one request.
using Outcome = std::vector<EventOutcome>;

/// Called on the intake's thread, or before `submit` returns; must not block, must not throw. The error is one of the
/// environment: none of the request's events that a repeat would write again is written.
using IntakeDone = std::function<void(Result<Outcome>)>;

/// Events since the start.
struct IntakeCounts {
  std::uint64_t taken = 0;  ///< written, or known already
  std::uint64_t refused = 0;
};

/// The writer of events: one thread and a queue in front of it. Every member may be called from any thread.
class Intake {
 public:
  /// `engine` outlives it.
  explicit Intake(engine::Engine& engine, LogSink const& log = {});

  /// Writes `events` in the name of `who`. `done` gets `busy` where the queue is full or the program stops, or an error
  /// of the store. What is known is not written again.
  /// Clients take turns, and none fills the queue.
  void submit(std::vector<Event> events, std::string who, IntakeDone done, std::string const& client = {});

  [[nodiscard]] IntakeCounts counts() const noexcept { return {taken_, refused_}; }

 private:
  struct Waiting {
    std::vector<Event> events;
    std::string who;
    IntakeDone done;
  };

  void write_group(std::vector<Waiting>& group);
  void write_requests(std::span<Waiting> requests);
  [[nodiscard]] Result<Outcome> write_events(std::vector<Event const*> const& events, std::string const& who);
  /// What was left out, with the place of the event.
  [[nodiscard]] Result<LeftOut> write(std::span<Event const* const> events, std::string const& who);

  engine::Engine& engine_;
  FactsCache cache_;  // of the queue's thread
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  GroupQueue<Waiting> queue_;  ///< last: its thread uses the rest
};

}  // namespace whence::net::openlineage
