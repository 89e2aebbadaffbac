#include "net/ingest/capture_call.hpp"

#include "net/capture/capture.hpp"
#include "net/capture/content_coding.hpp"
#include "net/service_state.hpp"

#include <new>
#include <utility>

#include <boost/asio/post.hpp>

namespace whence::net {

namespace {

using boost::beast::http::field;
using boost::beast::http::status;

constexpr int code_invalid_argument = 3;  ///< of google.rpc.Code
constexpr int code_exhausted = 8;
constexpr int code_unavailable = 14;

std::string content_type_of(capture::Encoding encoding) {
  return encoding == capture::Encoding::json ? "application/json" : "application/x-protobuf";
}

status status_of(Errc code) noexcept {
  switch (code) {
    case Errc::parse_error:
      return status::bad_request;
    case Errc::limit_exceeded:
      return status::payload_too_large;
    default:  // whatever else stands in the way may be gone later: exporters repeat a 503
      return status::service_unavailable;
  }
}

}  // namespace

HttpAnswer capture_refusal(boost::beast::http::status status, std::string_view message, capture::Encoding encoding,
                           bool retry) {
  auto const code = retry                                 ? code_unavailable
                    : status == status::payload_too_large ? code_exhausted
                                                          : code_invalid_argument;
  HttpAnswer answer{.status = status,
                    .body = capture::encode_status(code, message, encoding),
                    .content_type = content_type_of(encoding)};
  if (retry) answer.fields.emplace_back(field::retry_after, "1");
  return answer;
}

CaptureCall::CaptureCall(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, CaptureForm form)
    : stream_(std::move(stream)), state_(shared.service.state()), form_(std::move(form)), queue_(state_.pool, 1) {}

Awaitable<HttpAnswer> CaptureCall::run(std::string body, std::shared_ptr<PeerMemory> memory) {
  queue_.post(
      [self = shared_from_this(), body = std::move(body), memory = std::move(memory)] { self->read(body, memory); });
  auto const stream = stream_;
  while (!is_done_ && stream->is_open()) co_await stream->async_wait(awaited);
  end();
  co_return std::move(answer_);
}

void CaptureCall::abort() {
  if (!is_done_) settle(capture_refusal(status::service_unavailable, "the server stops", form_.encoding, true));
}

void CaptureCall::end() noexcept {
  std::shared_ptr<BufferedStream> let_go;
  std::lock_guard const lock(mutex_);
  let_go.swap(stream_);
}

/// On a worker.
void CaptureCall::read(std::string const& body, std::shared_ptr<PeerMemory> const& memory) {
  try {
    auto const unpacked = capture::decode_content(body, form_.coding, capture::body_bytes_max);
    if (!unpacked) return finish(unpacked.error());
    auto const claim = std::make_shared<MemoryClaim>(memory);
    if (!claim->try_set(unpacked->size())) {
      return finish(Error{.code = Errc::busy, .message = "not enough memory for this request now"});
    }
    std::size_t unnamed = 0;
    auto decoded = form_.encoding == capture::Encoding::json
                       ? capture::decode_json(*unpacked, form_.signal, unnamed)
                       : capture::decode_protobuf(*unpacked, form_.signal, unnamed);
    if (!decoded) return finish(decoded.error());
    auto const done = [self = shared_from_this(), claim, unnamed](Result<capture::PartialSuccess> result) {
      if (result && unnamed > 0) {
        result->rejected += unnamed;
        if (result->message.empty()) result->message = "a span needs a trace id of 16 bytes and a span id of 8";
      }
      self->finish(std::move(result));
    };
    state_.capture.submit(capture::read_telemetry(std::move(*decoded)), done);
  } catch (std::bad_alloc const&) {
    finish(Error{.code = Errc::busy, .message = "there is not enough memory for this request now"});
  }
}

/// On any thread.
void CaptureCall::finish(Result<capture::PartialSuccess> result) {
  HttpAnswer answer;
  if (result) {
    answer.body = capture::encode_success(*result, form_.signal, form_.encoding);
    answer.content_type = content_type_of(form_.encoding);
  } else {
    auto const code = status_of(result.error().code);
    answer = capture_refusal(code, result.error().message, form_.encoding, code == status::service_unavailable);
  }
  std::lock_guard const lock(mutex_);
  if (!stream_) return;
  boost::asio::post(stream_->get_executor(), [weak = weak_from_this(), answer = std::move(answer)]() mutable {
    if (auto const self = weak.lock()) self->settle(std::move(answer));
  });
}

void CaptureCall::settle(HttpAnswer answer) {
  if (is_done_) return;
  answer_ = std::move(answer);
  is_done_ = true;
  if (stream_) stream_->wake();
}

}  // namespace whence::net
