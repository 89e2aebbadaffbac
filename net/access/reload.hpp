#pragma once
// What a server says of a reload: what changed, and no secret.

#include <cstddef>
#include <optional>
#include <string>

namespace whence::net {

/// How the tokens of a server differ from those before. A token that got another role counts as removed and as added.
struct TokenChange {
  std::size_t added = 0;
  std::size_t removed = 0;
  std::size_t total = 0;  ///< different tokens with their roles, now
};

/// The certificate that new connections get.
struct TlsState {
  std::string fingerprint = {};  ///< SHA-256 of the server's certificate, 64 hex digits
  std::string expires = {};      ///< RFC 3339
  bool is_changed = false;       ///< the certificate or its chain is another than before
};

struct Reloaded {
  std::optional<TokenChange> tokens = {};  ///< none: nothing was read
  std::optional<TlsState> tls = {};        ///< none: the server is plain
};

}  // namespace whence::net
