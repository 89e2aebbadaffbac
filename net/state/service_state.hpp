#pragma once
// The state that all sessions and methods of one service share.

#include "engine/jobs/jobs.hpp"
#include "net/access/audit.hpp"
#include "net/base/engine_view.hpp"
#include "net/base/service_config.hpp"
#include "net/capture/capture.hpp"
#include "net/files/follower.hpp"
#include "net/live/feed.hpp"
#include "net/metrics/bolt_figures.hpp"
#include "net/metrics/request_metrics.hpp"
#include "net/openlineage/intake.hpp"
#include "net/proof/cosignatures.hpp"
#include "net/proof/fork_watch.hpp"
#include "net/proof/transparency_log.hpp"
#include "net/retention/retention.hpp"
#include "net/rpc/answer_cache.hpp"
#include "net/rpc/item_reader.hpp"
#include "net/work/alarms.hpp"
#include "net/work/clock_watch.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/shared_work.hpp"
#include "net/work/worker_pool.hpp"
#include "queries/view/view.hpp"
#include "schema/base/time.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace whence::net {

/// Any thread may use it: every member is immutable, atomic or safe by its own contract. Sessions end before it does.
struct ServiceState {
  ServiceState(engine::Engine& served, ServiceConfig const& settings, schema::Clock const& wall_clock, SharedWork work);
  ~ServiceState();

  /// The newest state, with all that queries may need.
  [[nodiscard]] queries::View view() const { return view_of(engine.snapshot()); }
  /// The same for who may not administer the store.
  [[nodiscard]] queries::View view_for(bool is_admin) const { return view_of(shown_to(engine.snapshot(), is_admin)); }
  [[nodiscard]] queries::View view_of(graph::Snapshot snapshot) const {
    auto view = net::view_of(engine, std::move(snapshot));
    view.has_files = engine.files() != nullptr;
    view.token_check = token_check ? &token_check : nullptr;
    return view;
  }

  engine::Engine& engine;
  ServiceConfig const config;
  schema::Clock const& clock;
  std::chrono::steady_clock::time_point const started = std::chrono::steady_clock::now();
  /// Of the store, and of its namespace: stores of two may be copies of one, and a cursor of one would mean other
  /// records in the other.
  std::string const epoch;
  std::string const openrpc;  ///< the document, made once
  RequestMetrics metrics;
  Audit audit;
  AnswerCache cache;
  std::shared_ptr<MemoryBudget> const memory;  ///< of what requests and answers hold, some of which end later
  std::shared_ptr<Alarms>
      alarms;                  ///< shared with the engine's announcements, which may come later than the service's end
  std::shared_ptr<Feed> feed;  ///< likewise
  std::shared_ptr<TransparencyLog> transparency;    ///< likewise
  ForkWatch forks;                                  ///< of that log
  Cosignatures cosignatures;                        ///< of the log's witnesses
  std::shared_ptr<KeptReaders> const kept_readers;  ///< of queries with more pages; shared with an alarm
  std::shared_ptr<Follower> files;           ///< of discussions; shared with writes, whose answers may come later too
  queries::TokenCheck const token_check;     ///< empty: none is configured
  std::shared_ptr<engine::Jobs> const jobs;  ///< exports; their files are below the store; told of purges
  Retention retention;                       ///< of contents
  ClockWatch clock_watch;
  std::atomic<std::uint64_t> subscriptions = 0;  ///< open ones, of all connections
  std::atomic<std::uint64_t> last_peer = 0;      ///< number of the session made last
  std::atomic<std::uint64_t> foreign_told = 0;   ///< messages of others in the replicated log that the log knows of
  capture::Capture capture;                      ///< of telemetry
  openlineage::Intake openlineage;               ///< of the events of data pipelines
  std::shared_ptr<bolt::Figures> const bolt_figures = std::make_shared<bolt::Figures>();  ///< shared with statements
  std::shared_ptr<WorkerPool> const shared_pool;  ///< also of the other services of the process
  WorkerPool& pool;                               ///< its threads use the rest
  WorkQueue upkeep;
};

}  // namespace whence::net
