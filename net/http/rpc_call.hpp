#pragma once
// One `POST /rpc`: a session that lives for one message.

#include "net/http/call.hpp"
#include "net/service/session.hpp"
#include "net/serving/shared.hpp"
#include "net/work/memory_budget.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

/// Carries a session through one message.
class RpcCall final : public HttpCall, public SessionHost {
 public:
  RpcCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where, Grant grant,
          std::string peer, std::shared_ptr<PeerMemory> memory, std::optional<TraceContext> trace = {});
  ~RpcCall() override;

  /// The answer to `message`; without a body where nothing is to be answered (204), or where a part of it that has no
  /// answer was not carried out (400 or 503). Throws what a task of the session threw.
  [[nodiscard]] Awaitable<HttpAnswer> run(std::string_view message);

  /// Has the session answer what still runs.
  void abort() override;
  /// Ends the session; its service may go afterwards.
  void end() noexcept override;

  // SessionHost
  void send(std::string text) override {
    text_ = std::move(text);
    held_.set(text_.capacity());
  }
  void close(std::uint16_t code, std::string_view reason) override;
  void post(std::function<void()> task) override { HttpCall::post(std::move(task)); }
  void on_idle() override;
  void on_unanswered(Error const& error) override;

 private:
  std::shared_ptr<Session> session_;  ///< until `end`
  std::string text_;                  ///< the answer's
  MemoryClaim held_;                  ///< of `text_`, until it is queued
  std::optional<Error> refusal_ = {};
};

}  // namespace whence::net
