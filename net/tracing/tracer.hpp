#pragma once
// Traces of the server's own requests: spans that go to a collector over
// OTLP/HTTP, as JSON.

#include "net/base/log.hpp"
#include "net/tracing/trace_context.hpp"
#include "schema/base/error.hpp"
#include "schema/threads/woken_thread.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace whence::net {

/// Where spans go, and which.
struct TraceTarget {
  std::string host = {};
  std::uint16_t port = 4318;
  std::string path = "/v1/traces";
  double sample = 0.01;  ///< the share of requests without a `traceparent` that
                         ///< are traced, 0 to 1
};

/// `http://HOST[:PORT]/PATH`; without a port that of OTLP/HTTP, 4318, without a
/// path `/v1/traces`. Fails with `invalid_params`.
[[nodiscard]] Result<TraceTarget> parse_trace_target(std::string_view url);

/// The protocol of a request.
enum class TracedSystem : std::uint8_t { jsonrpc, bolt };

/// A request that was answered.
struct TracedRequest {
  TracedSystem system = TracedSystem::jsonrpc;
  std::string_view method;                       ///< as the table of methods or of requests has it,
                                                 ///< so that it outlives the span
  std::optional<Errc> error = {};                ///< of JSON-RPC
  std::optional<std::string_view> failure = {};  ///< of Bolt: a code of its table
  std::chrono::steady_clock::duration taken;
  std::string_view namespace_name;
};

struct TraceCounts {
  std::uint64_t sent = 0;     ///< spans that the collector took
  std::uint64_t dropped = 0;  ///< that found the queue full
  std::uint64_t failed = 0;   ///< that the collector did not take
};

/// Samples requests, keeps the spans of those that are traced in a queue of
/// 4,096, and sends them in batches of at most 512, each second or when there
/// are so many, from a thread of its own. It holds no request up: what finds the
/// queue full is dropped and counted. A batch that the collector does not take
/// within 10 s is not sent again.
class Tracer {
 public:
  static constexpr std::size_t queue_max = 4'096;
  static constexpr std::size_t batch_max = 512;

  /// `log` gets a line when spans begin to be lost, and when they are taken
  /// again.
  Tracer(TraceTarget target, LogSink log);
  /// Sends what waits while the collector takes it, for about a second.
  ~Tracer();
  Tracer(Tracer const&) = delete;
  Tracer& operator=(Tracer const&) = delete;

  /// A request of the client's trace, if it named one: traced where the client
  /// traces it. Else a part of them is. From any thread; does not wait.
  void note(TracedRequest const& request, std::optional<TraceContext> const& context) noexcept;

  [[nodiscard]] TraceCounts counts() const;

 private:
  struct Span {
    std::string trace;
    std::string span;
    std::string parent;
    TracedSystem system;
    std::string_view method;
    std::string namespace_name;
    std::optional<Errc> error;
    std::optional<std::string_view> failure;
    std::int64_t begin_ns;  ///< since 1970
    std::int64_t end_ns;
  };

  [[nodiscard]] std::deque<Span> take_batch();
  /// Whether the collector took it.
  bool send(std::deque<Span> const& batch, std::stop_token const& stop);
  [[nodiscard]] static std::string text_of(std::deque<Span> const& batch);

  TraceTarget const target_;
  LogSink const log_;
  bool is_losing_ = false;  ///< of the thread
  mutable std::mutex mutex_;
  std::deque<Span> waiting_;  // guarded by `mutex_`, as the next
  TraceCounts counts_;
  schema::WokenThread thread_;  // last: it ends first
};

}  // namespace whence::net
