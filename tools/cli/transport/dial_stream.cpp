// Connecting, and TLS where the URL says so.

#include "tools/cli/transport/dial_stream.hpp"

#include "net/access/secret_file.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/ssl.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace whence::tools {

namespace asio = boost::asio;
using boost::system::system_error;

DialStream::DialStream(OperationLoop& loop, DialConfig const& config) : loop_(loop), config_(config), tcp_(loop.io()) {}

void DialStream::open() {
  asio::ip::tcp::resolver resolver{loop_.io()};
  auto const endpoints = resolver.resolve(config_.url.host, config_.url.port);
  finish([&](auto token) { return tcp_.async_connect(endpoints, token); });
  tcp_.socket().set_option(asio::ip::tcp::no_delay{true});
  if (!config_.url.is_tls) return;
  context_.set_default_verify_paths();
  if (auto const used = use_client_certificate(context_, config_); !used)
    throw TlsFailure{boost::system::errc::make_error_code(boost::system::errc::invalid_argument), used.error().message};
  tls_.emplace(tcp_, context_);
  tls_->set_verify_mode(asio::ssl::verify_peer);
  tls_->set_verify_callback(
      [this](bool is_trusted, asio::ssl::verify_context& certificate) { return accept(is_trusted, certificate); });
  if (SSL_set_tlsext_host_name(tls_->native_handle(), config_.url.host.c_str()) != 1) {
    throw system_error{boost::system::errc::make_error_code(boost::system::errc::invalid_argument),
                       "SSL_set_tlsext_host_name"};
  }
  try {
    finish([&](auto token) { return tls_->async_handshake(asio::ssl::stream_base::client, token); });
  } catch (system_error const& failed) {
    if (!refusal_.empty()) throw TlsFailure{failed.code(), refusal_};
    bool const is_of_tls = failed.code().category() == asio::error::get_ssl_category();
    if (is_of_tls && ERR_GET_REASON(static_cast<unsigned long>(failed.code().value())) == SSL_R_WRONG_VERSION_NUMBER) {
      throw TlsFailure{failed.code(), "it does not speak TLS: its address starts with http:// or ws://"};
    }
    throw;
  }
}

bool DialStream::accept(bool is_trusted, asio::ssl::verify_context& certificate) {
  constexpr std::string_view way_out = "; SSL_CERT_FILE=FILE in the environment names a file of certificates to trust";
  if (!is_trusted) {
    int const error = X509_STORE_CTX_get_error(certificate.native_handle());
    refusal_ = std::string{"its certificate is not trusted: "} + X509_verify_cert_error_string(error);
    refusal_ += way_out;
    return false;
  }
  if (asio::ssl::host_name_verification{config_.url.host}(true, certificate)) return true;
  refusal_ =
      "its certificate is for another name than " + config_.url.host + ": the address must have a name that it is for";
  return false;
}

CallResult<void> use_client_certificate(asio::ssl::context& context, DialConfig const& config) {
  if (config.client_cert.empty()) return {};
  auto const refused = [](std::string_view flag, std::string const& file, std::string const& why) {
    return CallError{.exit = ExitCode::usage, .message = std::string{flag} + ": " + file + ": " + why};
  };
  boost::system::error_code failed;
  context.use_certificate_chain_file(config.client_cert, failed);
  if (failed) return refused("--client-cert", config.client_cert, failed.message());
  if (auto const checked = net::check_secret_file(config.client_key); !checked)
    return CallError{.exit = ExitCode::usage, .message = "--client-key: " + checked.error().message};
  context.use_private_key_file(config.client_key, asio::ssl::context::pem, failed);
  if (failed) return refused("--client-key", config.client_key, failed.message());
  return {};
}

CallError not_connected(Url const& url, system_error const& failed, std::string_view hint) {
  auto const* const of_tls = dynamic_cast<TlsFailure const*>(&failed);
  if (of_tls == nullptr) return unreachable(url, failed.code().message(), hint);
  return {.exit = ExitCode::unreachable,
          .message = "no secure connection to " + authority_of(url) + ": " + of_tls->why()};
}

bool DialStream::is_readable() {
  boost::system::error_code failed;
  tcp_.socket().non_blocking(true, failed);
  char byte = 0;
  tcp_.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, failed);
  return failed != asio::error::would_block && failed != asio::error::try_again;
}

}  // namespace whence::tools
