// Loads the TLS context.

#include "net/stream/tls_context.hpp"

#include "net/secret_file.hpp"
#include "schema/base/time.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string_view>

#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace whence::net {

namespace {

Error tls_error(std::string const& file, boost::system::error_code const& ec) {
  return Error{.code = Errc::invalid_params, .message = "TLS file " + file + ": " + ec.message()};
}

/// The certificate as X.690 encodes it.
std::string der_of(X509* certificate) {
  std::string bytes(static_cast<std::size_t>(std::max(i2d_X509(certificate, nullptr), 0)), '\0');
  auto* end = reinterpret_cast<unsigned char*>(bytes.data());
  if (!bytes.empty()) i2d_X509(certificate, &end);
  return bytes;
}

std::string expiry_of(X509 const* certificate) {
  std::tm utc = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &utc) != 1) return {};
  return schema::format_rfc3339({::timegm(&utc), 0});
}

}  // namespace

Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(std::string const& cert_file, std::string const& key_file,
                                                            KeyPassword password) {
  using boost::asio::ssl::context;
  auto tls = std::make_unique<context>(context::tls_server);
  boost::system::error_code ec;
  tls->use_certificate_chain_file(cert_file, ec);
  if (ec) return tls_error(cert_file, ec);
  if (auto const checked = check_secret_file(key_file); !checked) {
    return Error{.code = Errc::invalid_params, .message = "TLS key " + checked.error().message};
  }
  if (password == KeyPassword::is_refused) {
    tls->set_password_callback([](std::size_t, context::password_purpose) { return std::string{}; }, ec);
  }
  tls->use_private_key_file(key_file, context::pem, ec);
  if (ec) return tls_error(key_file, ec);
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1) {
    return Error{.code = Errc::invalid_params, .message = "TLS key " + key_file + " does not belong to " + cert_file};
  }
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(tls->native_handle(), SSL_OP_NO_RENEGOTIATION);
  // Buffers of idle connections go back to the allocator: they are most of what an idle TLS connection holds.
  SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return tls;
}

TlsCertificate certificate_of(boost::asio::ssl::context& tls) {
  auto* const own = SSL_CTX_get0_certificate(tls.native_handle());
  if (own == nullptr) return {};
  STACK_OF(X509)* above = nullptr;
  SSL_CTX_get0_chain_certs(tls.native_handle(), &above);
  auto const der = der_of(own);
  schema::Sha256 chain;
  chain.update(der);
  for (int i = 0; i < sk_X509_num(above); ++i) chain.update(der_of(sk_X509_value(above, i)));
  return {.fingerprint = schema::to_hex(schema::sha256(std::string_view{der})),
          .expires = expiry_of(own),
          .chain = chain.finish()};
}

}  // namespace whence::net
