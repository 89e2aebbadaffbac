// Serves one `POST /rpc`.

#include "net/http/call.hpp"

#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

namespace whence::net {

HttpCall::HttpCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where,
                   Grant grant, std::string peer, std::shared_ptr<PeerMemory> memory, std::optional<TraceContext> trace)
    : stream_{std::move(stream)}, held_{memory} {
  auto config = shared.session_config(where, std::move(grant), std::move(peer));
  config.is_one_message = true;
  config.memory = std::move(memory);
  config.trace = std::move(trace);
  session_ = Session::make(*where.service, std::move(config), *this);
  if (shared.is_draining) session_->drain();
}

HttpCall::~HttpCall() {
  end();
}

Awaitable<std::string> HttpCall::run(std::string_view message) {
  session_->on_text(message);
  while (!is_done_ && stream_->is_open()) co_await stream_->async_wait(awaited);
  end();
  if (failure_) std::rethrow_exception(failure_);
  co_return std::move(answer_);
}

void HttpCall::abort() {
  if (session_) session_->abort_running();
}

void HttpCall::end() noexcept {
  if (auto const session = std::exchange(session_, nullptr)) session->on_closed();
}

void HttpCall::close(std::uint16_t, std::string_view reason) {
  on_unanswered({.code = Errc::busy, .message = std::string(reason)});
  on_idle();
}

void HttpCall::post(std::function<void()> task) {
  asio::post(stream_->get_executor(), [weak = weak_from_this(), task = std::move(task)] {
    auto const self = weak.lock();
    if (!self || !self->session_) return;
    try {
      task();
    } catch (...) {  // carried to where the connection ends
      self->failure_ = std::current_exception();
      self->on_idle();
    }
  });
}

void HttpCall::on_unanswered(Error const& error) {
  if (!refusal_) refusal_ = error;
}

void HttpCall::on_idle() {
  is_done_ = true;
  stream_->wake();
}

}  // namespace whence::net
