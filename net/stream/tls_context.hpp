#pragma once
// TLS from a certificate chain and its key.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

namespace whence::net {

/// What is done about the password of an encrypted key: OpenSSL asks for it at the terminal, or the key is refused.
enum class KeyPassword : std::uint8_t { is_asked, is_refused };

/// A server context for TLS 1.2 and later. Fails with `invalid_params` naming the file that does not load, the key that
/// does not belong to the certificate, or the key that everybody may read.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(std::string const& cert_file,
                                                                          std::string const& key_file,
                                                                          KeyPassword password = KeyPassword::is_asked);

/// The server certificate and its chain, for an operator.
struct TlsCertificate {
  std::string fingerprint = {};  ///< SHA-256 of the certificate, 64 hex digits
  std::string expires = {};      ///< RFC 3339
  schema::Digest chain = {};     ///< of all certificates
};

[[nodiscard]] TlsCertificate certificate_of(boost::asio::ssl::context& tls);

}  // namespace whence::net
