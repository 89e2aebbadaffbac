#pragma once
// The replicated log as a stream of NATS JetStream: one stream, one subject, a group in one message or in several.
// README.md has the headers of its messages.

#include "schema/base/error.hpp"
#include "store/replicated/shared_log.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// Where the stream is, and who asks.
struct NatsAddress {
  std::vector<std::string> servers;  ///< `nats://HOST:PORT` or `tls://HOST:PORT`, each with `USER:PASSWORD@` if need be
  std::string stream;
};

struct NatsOptions {
  NatsAddress address;
  std::string credentials = {};            ///< a file with a user's JWT and nkey seed; empty: none
  std::string ca = {};                     ///< a file with the certificates that the servers' are checked with
  std::string certificate = {};            ///< a file with this node's own, for servers that ask for one
  std::string key = {};                    ///< a file with its key
  unsigned replicas = 0;                   ///< of a stream that is made; 0: three, one where the server is alone
  std::chrono::milliseconds wait{10'000};  ///< for every answer; a new leader of a stream takes 4 to 9 s
};

/// Reads `nats://HOST:PORT[,HOST:PORT]/STREAM`. Fails with `invalid_params` on anything else.
[[nodiscard]] Result<NatsAddress> parse_nats_address(std::string_view text);

/// An end of the stream, which is made where it is missing. Connects when it is first used, and again by itself.
[[nodiscard]] std::unique_ptr<SharedLog> make_nats_log(NatsOptions options);

}  // namespace whence::store
