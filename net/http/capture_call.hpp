#pragma once
// Serves one request of an instrumented program: unpacks and reads it on a worker, has it written, and answers.

#include "net/http/call.hpp"
#include "net/http/capture_protocol.hpp"
#include "net/serving/namespaces.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/worker_pool.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace whence::net {

/// One request on the connection's context.
class CaptureCall final : public HttpCall {
 public:
  /// `who` writes; `coding` is the body's `Content-Encoding`, one of those known; `client` is
  /// whose work it is.
  CaptureCall(std::shared_ptr<BufferedStream> stream, Namespace const& where, std::string who,
              std::shared_ptr<CaptureProtocol const> protocol, std::string coding, std::string const& client);

  /// The answer to `body`, which outlives the call. Claims what the unpacked body takes in addition.
  [[nodiscard]] Awaitable<HttpAnswer> run(std::string body, std::shared_ptr<PeerMemory> memory);

  void abort() override;

 private:
  void read(std::string const& body, std::shared_ptr<PeerMemory> const& memory);

  ServiceState& state_;  ///< outlives the workers and the capture's thread
  Sender const sender_;
  std::shared_ptr<CaptureProtocol const> const protocol_;
  std::string const coding_;
  WorkQueue queue_;
};

}  // namespace whence::net
