// Connecting, and TLS where the URL says so.

#include "tools/cli/transport/dial_stream.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/ssl.hpp>

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
  tls_.emplace(tcp_, context_);
  tls_->set_verify_mode(asio::ssl::verify_peer);
  tls_->set_verify_callback(asio::ssl::host_name_verification{config_.url.host});
  if (SSL_set_tlsext_host_name(tls_->native_handle(), config_.url.host.c_str()) != 1) {
    throw system_error{boost::system::errc::make_error_code(boost::system::errc::invalid_argument),
                       "SSL_set_tlsext_host_name"};
  }
  finish([&](auto token) { return tls_->async_handshake(asio::ssl::stream_base::client, token); });
}

bool DialStream::is_readable() {
  boost::system::error_code failed;
  tcp_.socket().non_blocking(true, failed);
  char byte = 0;
  tcp_.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, failed);
  return failed != asio::error::would_block && failed != asio::error::try_again;
}

}  // namespace whence::tools
