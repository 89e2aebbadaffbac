#pragma once
// Serves one request with telemetry: unpacks and reads it on a worker, has it written, and makes the answer.

#include "net/capture/otlp.hpp"
#include "net/http/routes.hpp"
#include "net/http/running_call.hpp"
#include "net/http/shared.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/worker_pool.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace whence::net {

/// How a request's body is written.
struct CaptureForm {
  capture::Signal signal = capture::Signal::traces;
  capture::Encoding encoding = capture::Encoding::json;
  std::string coding = {};  ///< its `Content-Encoding`
};

/// The answer to a request that was not taken, in the form of the request. `retry` tells the client to come again.
[[nodiscard]] HttpAnswer capture_refusal(boost::beast::http::status status, std::string_view message,
                                         capture::Encoding encoding, bool retry = false);

/// One request on the connection's context. `claim` is the connection's for the body.
class CaptureCall final : public RunningCall, public std::enable_shared_from_this<CaptureCall> {
 public:
  CaptureCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, CaptureForm form);

  /// The answer to `body`, which outlives the call. Claims what the unpacked body takes in addition.
  [[nodiscard]] Awaitable<HttpAnswer> run(std::string body, std::shared_ptr<PeerMemory> memory);

  void abort() override;
  void end() noexcept override;

 private:
  void read(std::string const& body, std::shared_ptr<PeerMemory> const& memory);
  void finish(Result<capture::PartialSuccess> result);
  void settle(HttpAnswer answer);

  std::mutex mutex_;
  std::shared_ptr<BufferedStream> stream_;  ///< until `end`; guarded by mutex_ against other threads
  ServiceState& state_;                     ///< outlives the workers and the capture's thread
  CaptureForm const form_;
  WorkQueue queue_;
  HttpAnswer answer_;
  bool is_done_ = false;
};

}  // namespace whence::net
