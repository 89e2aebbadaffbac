// Serves one `POST /rpc`.

#include "net/http/rpc_call.hpp"

#include <utility>

namespace whence::net {

namespace {

using boost::beast::http::field;
using boost::beast::http::status;

/// To a message that has no answer: there was nothing to answer, or a part of it was not carried out.
HttpAnswer answer_of_nothing(std::optional<Error> const& refusal) {
  if (!refusal) return {.status = status::no_content};
  bool const is_for_now = refusal->code == Errc::busy || refusal->code == Errc::storage_full ||
                          refusal->code == Errc::internal_error || refusal->code == Errc::deadline_exceeded;
  auto answer = error_answer(is_for_now ? status::service_unavailable : status::bad_request,
                             std::string{name_of(refusal->code)} + ": " + refusal->message);
  if (is_for_now) answer.fields.emplace_back(field::retry_after, "1");
  return answer;
}

}  // namespace

RpcCall::RpcCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where,
                 Grant grant, std::string peer, std::shared_ptr<PeerMemory> memory, std::optional<TraceContext> trace)
    : HttpCall(std::move(stream)), held_{memory} {
  auto config = shared.session_config(where, std::move(grant), std::move(peer));
  config.is_one_message = true;
  config.memory = std::move(memory);
  config.trace = std::move(trace);
  session_ = Session::make(*where.service, std::move(config), *this);
  if (shared.is_draining) session_->drain();
}

RpcCall::~RpcCall() {
  RpcCall::end();
}

Awaitable<HttpAnswer> RpcCall::run(std::string_view message) {
  session_->on_text(message);
  return wait();
}

void RpcCall::abort() {
  if (session_) session_->abort_running();
}

void RpcCall::end() noexcept {
  if (auto const session = std::exchange(session_, nullptr)) session->on_closed();
  HttpCall::end();
}

void RpcCall::close(std::uint16_t, std::string_view reason) {
  on_unanswered({.code = Errc::busy, .message = std::string(reason)});
  on_idle();
}

void RpcCall::on_unanswered(Error const& error) {
  if (!refusal_) refusal_ = error;
}

void RpcCall::on_idle() {
  settle(text_.empty() ? answer_of_nothing(refusal_) : HttpAnswer{.body = std::move(text_)});
}

}  // namespace whence::net
