#pragma once
// TLS from a certificate chain and its key.

#include "net/access/claims.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

namespace whence::net {

/// What is done about the password of an encrypted key: OpenSSL asks for it at the terminal, or the key is refused.
enum class KeyPassword : std::uint8_t { is_asked, is_refused };

struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string client_ca = {};   ///< empty: no client is asked for a certificate
  std::string client_crl = {};  ///< with `client_ca`: what they have revoked; empty: nothing is looked up
};

/// A server context for TLS 1.2 and later. With `client_ca` clients may show a certificate, and one that is not of
/// these authorities ends the handshake. With `client_crl`, PEM, so does one that its authority has revoked, and one of
/// an authority whose list is not in the file or is out of date. Fails with `invalid_params` naming the file that does
/// not load, the key that does not belong to the certificate, or the key that everybody may read.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(TlsFiles const& files,
                                                                          KeyPassword password = KeyPassword::is_asked);

/// What the peer of a finished handshake has shown; nothing where that is no certificate that was checked. Names with
/// control characters, and more than 16, are left out.
[[nodiscard]] std::optional<CertificateClaim> certificate_of_peer(SSL* tls);

/// Why the certificate that a client has shown ended the handshake: its name, and the reason. Empty where that was not
/// what ended it.
[[nodiscard]] std::string refused_certificate(SSL* tls);

/// The server certificate and its chain, for an operator.
struct TlsCertificate {
  std::string fingerprint = {};            ///< SHA-256 of the certificate, 64 hex digits
  std::string expires = {};                ///< RFC 3339
  std::int64_t expires_s = 0;              ///< the same, in seconds since 1970; 0: unknown
  schema::Digest chain = {};               ///< of all certificates
  schema::Digest client_authorities = {};  ///< of those whose certificates clients may show, and what they revoked
};

/// Whether a handshake failed since the peer does not speak TLS.
[[nodiscard]] bool is_plain_peer(boost::system::error_code const& failed) noexcept;

[[nodiscard]] TlsCertificate certificate_of(boost::asio::ssl::context& tls);

}  // namespace whence::net
