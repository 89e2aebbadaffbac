#pragma once
// Where SDKs of Langfuse ask for a place to send the bytes of images and files to, which a text has a token for.

#include "net/http/capture_protocol.hpp"

#include <string_view>

namespace whence::net {

/// Langfuse's `POST /api/public/media`: the id of the bytes, made of their SHA-256 as its SDKs make it, and no address
/// to send them to, which its SDKs take as sent before. Nothing is kept: the token names them by type and id.
class LangfuseMediaProtocol final : public CaptureProtocol {
 public:
  void take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& held,
            Done done) const override;
  [[nodiscard]] HttpAnswer refusal(boost::beast::http::status status, std::string_view message,
                                   bool retry) const override;
};

}  // namespace whence::net
