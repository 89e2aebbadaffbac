#include "tools/bench/live/beast.hpp"

#include "net/stream/close_codes.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace whence::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

asio::awaitable<void> send_messages(tcp::socket socket, std::vector<std::string> const& messages) {
  socket.set_option(tcp::no_delay(true));
  boost::beast::websocket::stream<tcp::socket> stream(std::move(socket));
  co_await stream.async_accept(asio::use_awaitable);
  stream.text(true);
  stream.auto_fragment(false);  // else every 4 KiB would be a separate frame and system call
  boost::beast::flat_buffer buffer;
  co_await stream.async_read(buffer, asio::use_awaitable);
  for (std::string const& message : messages) co_await stream.async_write(asio::buffer(message), asio::use_awaitable);
  co_await stream.async_read(buffer, asio::use_awaitable);  // until the client disconnects
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, std::vector<std::string> const& messages) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), send_messages(std::move(socket), messages), asio::detached);
  }
}

}  // namespace

void serve_beast_messages(std::vector<std::string> const& messages, Listening const& listening) {
  asio::io_context io(1);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  asio::co_spawn(io, accept_all(acceptor, messages), asio::detached);
  listening(acceptor.local_endpoint().port());
  io.run();
}

}  // namespace whence::bench
