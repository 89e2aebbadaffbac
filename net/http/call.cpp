// Waiting for an answer on the context of its connection.

#include "net/http/call.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace whence::net {

Awaitable<HttpAnswer> HttpCall::wait() {
  auto const stream = stream_;
  while (!answer_ && !failure_ && stream->is_open()) co_await stream->async_wait(awaited);
  end();
  if (failure_) std::rethrow_exception(failure_);
  co_return std::move(answer_).value_or(HttpAnswer{});
}

void HttpCall::end() noexcept {
  cancel();
  std::shared_ptr<BufferedStream> let_go;
  std::lock_guard const lock(mutex_);
  let_go.swap(stream_);
}

void HttpCall::post(std::function<void()> task) {
  std::lock_guard const lock(mutex_);
  if (!stream_) return;
  asio::post(stream_->get_executor(), [weak = weak_from_this(), task = std::move(task)] {
    auto const self = weak.lock();
    if (!self || !self->stream_) return;
    try {
      task();
    } catch (...) {  // carried to where the connection ends
      self->failure_ = std::current_exception();
      if (self->stream_) self->stream_->wake();
    }
  });
}

void HttpCall::finish(HttpAnswer answer) {
  post([this, answer = std::move(answer)]() mutable { settle(std::move(answer)); });
}

void HttpCall::settle(HttpAnswer answer) {
  if (answer_) return;
  answer_ = std::move(answer);
  if (stream_) stream_->wake();
}

}  // namespace whence::net
