#pragma once
// Writes what instrumented programs send. Requests come from many connections and are written one group after the
// other, since what a span becomes depends on what is known of its trace.

#include "engine/engine.hpp"
#include "net/base/log.hpp"
#include "net/capture/derivation/derivation.hpp"
#include "net/capture/otlp.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/read_telemetry.hpp"
#include "net/work/group_queue.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

inline constexpr std::size_t body_bytes_max = std::size_t{64} << 20;  ///< of a request, as sent and unpacked

/// What was counted since the start.
struct CaptureCounts {
  std::uint64_t spans_taken = 0;    ///< written or known already
  std::uint64_t spans_dropped = 0;  ///< of kinds that make no records
  std::uint64_t logs_taken = 0;
  std::uint64_t logs_dropped = 0;
  std::uint64_t rejected = 0;  ///< of both, reported in a partial success
  std::uint64_t unknown_attributes = 0;
  std::uint64_t left_out = 0;  ///< values and parts of what was taken: ill-formed, too large or too deep
};

/// Called on the capture's thread, or before `submit` returns; must not block, must not throw.
using CaptureDone = std::function<void(Result<PartialSuccess>)>;

/// The writer of captured telemetry: one thread and a queue in front of it. Every member may be called from any thread.
class Capture {
 public:
  /// `engine` outlives it.
  Capture(engine::Engine& engine, LogSink log);

  /// Writes `captured`; `done` gets what was not taken of it once the rest is on disk, and of each kind of span that
  /// the table does not know a word when it comes for the first time. Fails with `busy` where the queue is full or the
  /// program stops, or as `Engine::submit`, and then nothing of it was written that a repeat would write again.
  /// Clients take turns, and none fills the queue.
  void submit(Captured captured, CaptureDone done, std::string const& client = {});

  [[nodiscard]] CaptureCounts counts() const;

  /// The kinds of spans that no table knows, with how many came since the start; of too many kinds the first ones.
  [[nodiscard]] std::map<std::string, std::uint64_t> not_understood() const;

 private:
  struct Waiting {
    Captured captured;
    CaptureDone done;
    std::string told;  ///< with the answer, of kinds that came for the first time
  };

  void process(std::vector<Waiting>& group);
  [[nodiscard]] Result<PartialSuccess> write(std::vector<Captured const*> const& captured);
  [[nodiscard]] Result<PartialSuccess> write_by_trace(Captured const& captured);
  [[nodiscard]] std::string tell_of(Captured const& captured);
  void tell(std::string_view event, std::string_view example) const;

  engine::Engine& engine_;
  LogSink const log_;
  std::mutex mutable mutex_;
  CaptureCounts counts_;                                 // guarded by mutex_
  std::map<std::string, std::uint64_t> not_understood_;  // guarded by mutex_
  bool has_told_spans_ = false;
  bool has_told_attributes_ = false;
  bool has_told_left_out_ = false;
  PlainSpans plain_;           // of the queue's thread
  GroupQueue<Waiting> queue_;  ///< last: its thread uses the rest
};

}  // namespace whence::net::capture
