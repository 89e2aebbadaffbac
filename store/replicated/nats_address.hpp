#pragma once
// Where a replicated log's stream is, and who asks for it.

#include "schema/base/error.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// The servers, any of which leads to the stream.
struct NatsAddress {
  std::vector<std::string> servers;  ///< `nats://HOST:PORT` or `tls://HOST:PORT`, each with `USER:PASSWORD@` if need be
  std::string stream;
};

struct NatsOptions {
  NatsAddress address;
  std::string user = {};                   ///< a user with a password; empty: none, or those of the address
  std::string password = {};               ///< a file with it
  std::string credentials = {};            ///< a file with a user's JWT and nkey seed; empty: none
  std::string nkey = {};                   ///< a user's public nkey, where it is one without a JWT
  std::string nkey_seed = {};              ///< a file with its seed
  std::string ca = {};                     ///< a file with the certificates that the servers' are checked with
  std::string certificate = {};            ///< a file with this node's own, for servers that ask for one
  std::string key = {};                    ///< a file with its key
  unsigned replicas = 0;                   ///< of a stream that is made; 0: three, one where the server is alone
  std::chrono::milliseconds wait{10'000};  ///< for every answer; a new leader of a stream takes 4 to 9 s
};

/// The text of an address, right or wrong, to be shown: passwords and tokens in it are `***`.
[[nodiscard]] std::string shown_address(std::string_view text);

/// Reads `nats://HOST:PORT[,HOST:PORT]/STREAM`. Fails with `invalid_params` on anything else.
[[nodiscard]] Result<NatsAddress> parse_nats_address(std::string_view text);

}  // namespace whence::store
