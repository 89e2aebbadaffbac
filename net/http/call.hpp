#pragma once
// One request over HTTP while others work on its answer.

#include "net/pages/routes.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace whence::net {

/// Waits on the connection's context, without blocking it, for what workers or a session do. Called there, but for
/// `post`, `finish` and `has_ended`, which any thread may call.
class HttpCall : public std::enable_shared_from_this<HttpCall> {
 public:
  HttpCall(HttpCall const&) = delete;
  HttpCall& operator=(HttpCall const&) = delete;
  virtual ~HttpCall() = default;

  /// Answers that the server stops, without waiting for what still runs.
  virtual void abort() = 0;
  /// Lets go of the connection: what still runs ends without an answer. The connection's context may go afterwards.
  virtual void end() noexcept;

 protected:
  explicit HttpCall(std::shared_ptr<BufferedStream> stream) : stream_(std::move(stream)) {}

  /// The answer, once it is there, or an empty one where the connection ended before. Throws what a posted task threw.
  /// The call has ended then.
  [[nodiscard]] Awaitable<HttpAnswer> wait();
  /// Runs `task` on the connection's context, unless the call has ended by then.
  void post(std::function<void()> task);
  /// Gives the answer; of several the first counts.
  void settle(HttpAnswer answer);
  /// `settle` by way of the connection's context.
  void finish(HttpAnswer answer);
  /// What still runs need not go on.
  void cancel() noexcept { *has_ended_ = true; }
  [[nodiscard]] bool has_ended() const noexcept { return *has_ended_; }
  /// The same for what may outlive the call.
  [[nodiscard]] std::shared_ptr<std::atomic<bool>> const& ended() const noexcept { return has_ended_; }

 private:
  std::mutex mutex_;
  std::shared_ptr<BufferedStream> stream_;  ///< until `end`; other threads look at it under mutex_
  std::shared_ptr<std::atomic<bool>> const has_ended_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<HttpAnswer> answer_ = {};
  std::exception_ptr failure_;
};

}  // namespace whence::net
