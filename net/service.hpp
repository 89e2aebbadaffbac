#pragma once
// The methods of the protocol over an engine, without sockets: a JSON-RPC message in, a JSON-RPC answer out. The server
// feeds it from connections, the command line's `--db` calls it in process.

#include "engine/engine.hpp"
#include "net/log.hpp"
#include "net/request_metrics.hpp"
#include "net/rpc/role.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

/// A finished file of an export job.
struct ExportFile {
  std::filesystem::path path;
  schema::Digest sha256;
};

/// What an operator may change about answering.
struct ServiceConfig {
  std::uint32_t page_max = 10'000;
  std::uint32_t batch_max = 1'000;                         ///< requests in one JSON-RPC batch
  std::uint64_t vertices_max = 50'000'000;                 ///< reached by one evaluation; then `reason: "nodes"`
  std::chrono::milliseconds read_timeout{30'000};          ///< of a read that names no `timeout_ms`
  std::size_t cursor_cache_bytes = std::size_t{64} << 20;  ///< evaluated answers kept for their next page
  unsigned workers = 2;                                    ///< threads for evaluations that leave the I/O threads
  std::uint64_t inline_steps_max = 4'000;  ///< evaluation steps tried on the calling thread before a worker takes over
  LogSink log = {};                        ///< who is told what happens
};

/// All methods of one engine. Every member may be called from any thread. Takes the engine's `on_published` for itself:
/// make it before the first write. Sessions end (`Session::on_closed`) before their service does.
class Service {
 public:
  /// `engine` and `clock` outlive it.
  Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock);
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

  /// A file of a finished export of this service; nothing where there is none.
  [[nodiscard]] std::optional<ExportFile> find_export(std::string const& job, std::string_view name) const;

  /// Counts and times of every request answered so far, for `/metrics`.
  [[nodiscard]] RequestMetrics const& request_metrics() const;

  struct Impl;

 private:
  friend class Session;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::net
