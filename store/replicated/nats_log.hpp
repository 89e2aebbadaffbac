#pragma once
// The replicated log as a stream of NATS JetStream: one stream, one subject, a group in one message or in several.
// README.md has the headers of its messages.

#include "store/replicated/nats_address.hpp"
#include "store/replicated/shared_log.hpp"

#include <memory>

namespace whence::store {

/// An end of the stream, which is made where it is missing. Connects when it is first used, and again by itself.
[[nodiscard]] std::unique_ptr<SharedLog> make_nats_log(NatsOptions options);

}  // namespace whence::store
