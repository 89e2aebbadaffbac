#pragma once
// What libnats makes, as owners that destroy it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nats/nats.h>

namespace whence::store {

template <auto destroy>
struct NatsDestroy {
  template <class T>
  void operator()(T* made) const noexcept {
    destroy(made);
  }
};

using NatsConnectionOptions = std::unique_ptr<natsOptions, NatsDestroy<natsOptions_Destroy>>;
using NatsConnection = std::unique_ptr<natsConnection, NatsDestroy<natsConnection_Destroy>>;
using NatsContext = std::unique_ptr<jsCtx, NatsDestroy<jsCtx_Destroy>>;
using NatsSubscription = std::unique_ptr<natsSubscription, NatsDestroy<natsSubscription_Destroy>>;
using NatsMessage = std::unique_ptr<natsMsg, NatsDestroy<natsMsg_Destroy>>;
using NatsStreamInfo = std::unique_ptr<jsStreamInfo, NatsDestroy<jsStreamInfo_Destroy>>;
using NatsPlace = std::unique_ptr<jsMsgMetaData, NatsDestroy<jsMsgMetaData_Destroy>>;

/// "Timeout", "Error (JetStream error 10071)".
[[nodiscard]] inline std::string text_of(natsStatus status, int code = 0) {
  std::string text = natsStatus_GetText(status);
  if (code != 0) text += " (JetStream error " + std::to_string(code) + ")";
  return text;
}

[[nodiscard]] inline std::vector<std::byte> bytes_of(natsMsg* message) {
  auto const* const data = reinterpret_cast<std::byte const*>(natsMsg_GetData(message));
  return {data, data + natsMsg_GetDataLength(message)};
}

}  // namespace whence::store
