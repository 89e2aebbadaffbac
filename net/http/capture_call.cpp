#include "net/http/capture_call.hpp"

#include "net/base/errors.hpp"
#include "net/capture/capture.hpp"
#include "net/http/content_coding.hpp"
#include "net/state/service_state.hpp"

#include <new>
#include <utility>

namespace whence::net {

using boost::beast::http::status;

CaptureCall::CaptureCall(std::shared_ptr<BufferedStream> stream, Namespace const& where, std::string who,
                         std::shared_ptr<CaptureProtocol const> protocol, std::string coding, std::string const& client)
    : HttpCall(std::move(stream)),
      state_(where.service->state()),
      sender_{.name = std::move(who), .client = client},
      protocol_(std::move(protocol)),
      coding_(std::move(coding)),
      queue_(state_.pool, 1, state_.pool.group_of(client)) {}

Awaitable<HttpAnswer> CaptureCall::run(std::string body, std::shared_ptr<PeerMemory> memory) {
  queue_.post(
      [this, self = shared_from_this(), body = std::move(body), memory = std::move(memory)] { read(body, memory); });
  return wait();
}

void CaptureCall::abort() {
  cancel();
  settle(protocol_->refusal(status::service_unavailable, "the server stops", true));
}

/// On a worker.
void CaptureCall::read(std::string const& body, std::shared_ptr<PeerMemory> const& memory) {
  auto const refuse_busy = [this](std::string_view message) {
    finish(protocol_->refusal(status::service_unavailable, message, true));
  };
  if (has_ended()) return;  // the answer is not waited for, and nothing was taken yet
  try {
    auto const unpacked = decode_content(body, coding_, capture::body_bytes_max);
    if (!unpacked) {
      bool const is_long = unpacked.error().code == Errc::limit_exceeded;
      auto const status = is_long ? status::payload_too_large : status::bad_request;
      return finish(protocol_->refusal(status, unpacked.error().message, false));
    }
    auto const needed = protocol_->memory_for(*unpacked);
    if (needed > memory->bytes_max()) {
      return finish(protocol_->refusal(status::payload_too_large,
                                       "reading this takes more memory than one client may have: send less at once",
                                       false));
    }
    if (has_ended()) return;
    auto const claim = std::make_shared<MemoryClaim>(memory);
    if (!claim->try_set(needed)) return refuse_busy(no_memory_for_request);
    protocol_->take(state_, *unpacked, sender_, *claim,
                    [this, self = shared_from_this(), claim](HttpAnswer answer) { finish(std::move(answer)); });
  } catch (std::bad_alloc const&) {
    refuse_busy(no_memory_for_request);
  }
}

}  // namespace whence::net
