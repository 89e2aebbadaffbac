#pragma once
// The methods of the protocol over an engine, without sockets: a JSON-RPC message in, a JSON-RPC answer out. The server
// feeds it from connections, the command line's `--db` calls it in process.

#include "engine/engine.hpp"
#include "engine/jobs/job.hpp"
#include "net/access/role.hpp"
#include "net/base/service_config.hpp"
#include "net/capture/capture.hpp"
#include "net/files/follower_metrics.hpp"
#include "net/metrics/request_metrics.hpp"
#include "net/openlineage/intake.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/shared_work.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

class EditWatch;
struct ServiceState;

/// All methods of one engine. Every member may be called from any thread. Follows what the engine publishes: make
/// it before the first write. Sessions end (`Session::on_closed`) before their service does.
class Service {
 public:
  /// `engine` and `clock` outlive it.
  Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock);
  /// One of several that share `work`, made of a config with the same limits.
  Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock, SharedWork work);
  ~Service();
  Service(Service const&) = delete;
  Service& operator=(Service const&) = delete;

  /// Answers one message (a request, a notification or a batch) and waits for it, evaluating on the calling thread.
  /// Empty where nothing is to be answered. No `session.hello`, streaming or subscriptions this way. For tools, and for
  /// `POST /rpc` where a thread may block; a connection that may not block carries a `Session` with `is_one_message`.
  [[nodiscard]] std::string call(std::string_view message, Role role);

  /// The OpenRPC 1.3 document of exactly the methods that exist.
  [[nodiscard]] std::string const& openrpc() const;

  /// How many subscriptions are open, over all connections.
  [[nodiscard]] std::uint64_t subscriptions() const;

  /// From now on notices what is edited in the files of discussions, if there are any: logged, and taken over where the
  /// config says so.
  void watch_files();

  /// How the files of discussions follow.
  [[nodiscard]] FollowerMetrics files() const;

  /// A file of a finished export of this service; nothing where there is none.
  [[nodiscard]] std::optional<engine::JobFile> find_export(std::string const& job, std::string_view name) const;

  /// Writes telemetry in the JSON form of OTLP and waits. Fails with `parse_error`, or as `capture::Capture::submit`.
  [[nodiscard]] Result<capture::PartialSuccess> capture_telemetry(capture::Signal signal, std::string_view text);

  /// Writes an array of events of OpenLineage and waits; the summary that its HTTP API answers. Fails with
  /// `invalid_record` where the text is no array, or as `openlineage::Intake::submit`.
  [[nodiscard]] Result<std::string> capture_lineage(std::string_view batch);

  /// What was captured of telemetry, for `/metrics`.
  [[nodiscard]] capture::CaptureCounts captured() const;
  [[nodiscard]] openlineage::IntakeCounts lineage_counts() const;

  /// What requests and answers may hold. Connections count what they receive and queue in it.
  [[nodiscard]] std::shared_ptr<MemoryBudget> const& memory() const noexcept;
  /// Gives memory that was freed back to the system, on a worker, where enough was. To be called a few times a second.
  void trim_memory();

  /// Logs where the system's clock was set. To be called a few times a second.
  void look_at_clock();
  /// Logs where the replicated log has messages of others. To be called now and then.
  void look_at_log();
  /// Seconds by which the system's clock is behind the last commit.
  [[nodiscard]] std::uint64_t clock_behind_s() const;
  /// Whether contents are old by the clock and are kept, since the clock is doubted.
  [[nodiscard]] bool is_retention_held() const noexcept;

  /// From now on checkpoints of the graph are made as it grows, and reported to the log. For servers, once.
  void keep_checkpoints();
  /// Ends that. Makes a last one where the next start would replay much of the log. Blocks the caller.
  void finish_checkpoints();

  /// Counts and times of every request answered so far, for `/metrics`.
  [[nodiscard]] RequestMetrics const& request_metrics() const;

  /// The state that sessions of this service share.
  [[nodiscard]] ServiceState& state() noexcept { return *state_; }

 private:
  std::unique_ptr<ServiceState> state_;
  std::unique_ptr<EditWatch> edits_;  ///< ends before the state that it uses
};

}  // namespace whence::net
