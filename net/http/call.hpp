#pragma once
// One `POST /rpc`: a session that lives for one message.

#include "net/service/session.hpp"
#include "net/serving/running_call.hpp"
#include "net/serving/shared.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/work/memory_budget.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

/// Carries a session through one message without blocking the I/O thread. Runs on the connection's context, `post`
/// alone may be called from any thread.
class HttpCall final : public RunningCall, public SessionHost, public std::enable_shared_from_this<HttpCall> {
 public:
  HttpCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where, Grant grant,
           std::string peer, std::shared_ptr<PeerMemory> memory, std::optional<TraceContext> trace = {});
  ~HttpCall() override;

  /// The answer to `message`, empty where nothing is to be answered. Throws what a task of the session threw.
  [[nodiscard]] Awaitable<std::string> run(std::string_view message);

  /// Why something in the message was not carried out that has no answer. After `run`.
  [[nodiscard]] std::optional<Error> const& refusal() const noexcept { return refusal_; }

  /// Has the session answer what still runs.
  void abort() override;
  /// Ends the session; its service may go afterwards.
  void end() noexcept override;

  // SessionHost
  void send(std::string text) override {
    answer_ = std::move(text);
    held_.set(answer_.capacity());
  }
  void close(std::uint16_t code, std::string_view reason) override;
  void post(std::function<void()> task) override;
  void on_idle() override;
  void on_unanswered(Error const& error) override;

 private:
  std::shared_ptr<BufferedStream> stream_;
  std::shared_ptr<Session> session_;  ///< until `end`
  std::string answer_;
  MemoryClaim held_;  ///< of `answer_`, until it is queued
  std::optional<Error> refusal_ = {};
  std::exception_ptr failure_;
  bool is_done_ = false;
};

}  // namespace whence::net
