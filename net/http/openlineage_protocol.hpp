#pragma once
// OpenLineage's HTTP API: nothing to say of an event that is on disk, a summary of a batch.

#include "net/http/capture_protocol.hpp"

#include <string_view>

namespace whence::net {

/// OpenLineage's HTTP API: one event, or an array of them.
class OpenLineageProtocol final : public CaptureProtocol {
 public:
  explicit OpenLineageProtocol(bool is_batch) : is_batch_(is_batch) {}

  void take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& held,
            Done done) const override;
  [[nodiscard]] HttpAnswer refusal(boost::beast::http::status status, std::string_view message,
                                   bool retry) const override;

 private:
  bool const is_batch_;
};

}  // namespace whence::net
