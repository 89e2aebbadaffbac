// Loads the TLS context.

#include "net/stream/tls_context.hpp"

#include <openssl/ssl.h>

namespace whence::net {

namespace {

Error tls_error(std::string const& file, boost::system::error_code const& ec) {
  return Error{.code = Errc::invalid_params, .message = "TLS file " + file + ": " + ec.message()};
}

}  // namespace

Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(std::string const& cert_file, std::string const& key_file) {
  using boost::asio::ssl::context;
  auto tls = std::make_unique<context>(context::tls_server);
  boost::system::error_code ec;
  tls->use_certificate_chain_file(cert_file, ec);
  if (ec) return tls_error(cert_file, ec);
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

}  // namespace whence::net
