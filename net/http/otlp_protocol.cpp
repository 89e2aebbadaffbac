// From a body to what is captured, whose memory is counted while it grows (`Growth`), since it may take many times the
// bytes of the body. Metrics are taken and dropped.

#include "net/http/otlp_protocol.hpp"

#include "net/capture/capture.hpp"
#include "net/state/service_state.hpp"

#include <string>
#include <utility>

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

}  // namespace

void OtlpProtocol::take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& held,
                        Done done) const {
  if (signal_ == capture::Signal::metrics) {
    return done({.body = capture::encode_success({}, signal_, encoding_), .content_type = content_type_of(encoding_)});
  }
  std::size_t unnamed = 0;
  auto const before = held.bytes();
  capture::Growth growth{[&](std::size_t bytes) { return held.try_set(before + bytes); }};
  auto const refuse = [&](Error const& error) {
    // The text that came is held beside this, and has grown by doubling.
    if (growth.is_refused() && !held.may_ever_hold(before + growth.asked() + 2 * body.size()))
      return done(
          refusal(status::payload_too_large, "what the body becomes takes more memory than one peer may hold", false));
    auto const status = status_of(error.code);
    done(refusal(status, error.message, status == status::service_unavailable));
  };
  auto decoded = encoding_ == capture::Encoding::json ? capture::decode_json(body, signal_, unnamed, &growth)
                                                      : capture::decode_protobuf(body, signal_, unnamed, &growth);
  if (!decoded) return refuse(decoded.error());
  auto captured = capture::read_telemetry(std::move(*decoded), capture::now_nanos(), &growth);
  if (growth.is_refused()) return refuse(capture::no_room());
  auto const answer = [protocol = *this, done = std::move(done), unnamed](Result<capture::PartialSuccess> result) {
    if (!result) {
      auto const code = result.error().code;
      auto const status =
          code == Errc::parse_error || code == Errc::limit_exceeded ? status_of(code) : status::service_unavailable;
      return done(protocol.refusal(status, result.error().message, status == status::service_unavailable));
    }
    if (unnamed > 0) {
      result->rejected += unnamed;
      if (result->message.empty()) result->message = "a span needs a trace id of 16 bytes and a span id of 8";
    }
    done({.body = capture::encode_success(*result, protocol.signal_, protocol.encoding_),
          .content_type = content_type_of(protocol.encoding_)});
  };
  captured.who = sender.name;
  state.capture.submit(std::move(captured), answer, sender.client);
}

std::size_t OtlpProtocol::memory_for(std::string_view body) const noexcept {
  // Of protobuf what it becomes is counted while it becomes so.
  return encoding_ == capture::Encoding::protobuf ? body.size() : CaptureProtocol::memory_for(body);
}

HttpAnswer OtlpProtocol::refusal(status status, std::string_view message, bool retry) const {
  auto const code = retry                                                     ? code_unavailable
                    : status == boost::beast::http::status::payload_too_large ? code_exhausted
                                                                              : code_invalid_argument;
  HttpAnswer answer{.status = status,
                    .body = capture::encode_status(code, message, encoding_),
                    .content_type = content_type_of(encoding_)};
  if (retry) answer.fields.emplace_back(field::retry_after, "1");
  return answer;
}

}  // namespace whence::net
