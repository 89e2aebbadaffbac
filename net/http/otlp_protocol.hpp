#pragma once
// OTLP/HTTP: an answer has the form of its request.

#include "net/capture/otlp.hpp"
#include "net/http/capture_protocol.hpp"

#include <string_view>

namespace whence::net {

/// OTLP/HTTP: spans or log records, in either form.
class OtlpProtocol final : public CaptureProtocol {
 public:
  OtlpProtocol(capture::Signal signal, capture::Encoding encoding) : signal_(signal), encoding_(encoding) {}

  void take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& held,
            Done done) const override;
  [[nodiscard]] HttpAnswer refusal(boost::beast::http::status status, std::string_view message,
                                   bool retry) const override;
  [[nodiscard]] bool has_protobuf() const noexcept override { return true; }
  [[nodiscard]] std::size_t memory_for(std::string_view body) const noexcept override;

 private:
  capture::Signal const signal_;
  capture::Encoding const encoding_;
};

}  // namespace whence::net
