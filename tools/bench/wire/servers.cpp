// Whence itself, and two that only answer with as many bytes, over Beast's WebSocket and over bare TCP: what a server
// could reach at best.

#include "tools/bench/wire/servers.hpp"

#include "net/server/server.hpp"
#include "net/stream/close_codes.hpp"
#include "tools/bench/engine_fixture.hpp"

#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace whence::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Socket = asio::basic_stream_socket<tcp, asio::strand<asio::io_context::executor_type>>;

constexpr int server_threads = 2;

asio::awaitable<void> echo_messages(Socket socket, std::string answer) {
  socket.set_option(tcp::no_delay(true));
  boost::beast::websocket::stream<Socket> stream(std::move(socket));
  co_await stream.async_accept(asio::use_awaitable);
  stream.text(true);
  boost::beast::flat_buffer buffer;
  for (;;) {
    co_await stream.async_read(buffer, asio::use_awaitable);
    buffer.clear();
    co_await stream.async_write(asio::buffer(answer), asio::use_awaitable);
  }
}

asio::awaitable<void> echo_bytes(Socket socket, std::size_t request_bytes, std::string answer) {
  socket.set_option(tcp::no_delay(true));
  std::vector<char> in(1 << 16);
  std::size_t pending = 0;
  std::string out;
  for (;;) {
    pending += co_await socket.async_read_some(asio::buffer(in), asio::use_awaitable);
    out.clear();
    for (; pending >= request_bytes; pending -= request_bytes) out += answer;
    co_await asio::async_write(socket, asio::buffer(out), asio::use_awaitable);
  }
}

/// Accepts connections without end, each on its own strand.
asio::awaitable<void> accept_all(asio::io_context& io, tcp::acceptor& acceptor,
                                 std::function<asio::awaitable<void>(Socket)> const& serve) {
  for (;;) {
    Socket socket(asio::make_strand(io));
    co_await acceptor.async_accept(socket, asio::use_awaitable);
    auto const strand = socket.get_executor();
    asio::co_spawn(strand, serve(std::move(socket)), asio::detached);
  }
}

void serve_sockets(std::function<asio::awaitable<void>(Socket)> const& serve, Listening const& listening) {
  asio::io_context io(server_threads);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  asio::co_spawn(io, accept_all(io, acceptor, serve), asio::detached);
  listening(acceptor.local_endpoint().port());
  std::vector<std::jthread> threads;
  for (int i = 0; i < server_threads; ++i) threads.emplace_back([&io] { io.run(); });
}

}  // namespace

ServerProcess::ServerProcess(std::function<void(Listening)> const& serve) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("fork");
  if (child_ == 0) {
    close(ends[0]);
    int const code = [&] {
      try {
        serve([&](std::uint16_t port) {
          if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
        });
        return 0;
      } catch (std::exception const&) {
        return 1;
      }
    }();
    _exit(code);
  }
  close(ends[1]);
  bool const is_up = read(ends[0], &port_, sizeof port_) == sizeof port_;
  close(ends[0]);
  if (!is_up) throw std::runtime_error("a server did not start");
}

ServerProcess::~ServerProcess() {
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

double ServerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(child_, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    throw std::runtime_error("clock_getcpuclockid");
  }
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

void serve_whence(std::string const& directory, Listening const& listening) {
  OpenEngine engine(directory);
  schema::SystemClock clock;
  net::Service service(*engine, {}, clock);
  net::ServerConfig config;
  config.port = 0;
  auto server = net::Server::listen(service, *engine, config);
  if (!server) throw std::runtime_error(server.error().message);
  listening((*server)->port());
  (*server)->run();
}

void serve_beast_echo(std::size_t answer_bytes, Listening const& listening) {
  serve_sockets([=](Socket socket) { return echo_messages(std::move(socket), std::string(answer_bytes, 'x')); },
                listening);
}

void serve_tcp_echo(std::size_t request_bytes, std::size_t answer_bytes, Listening const& listening) {
  serve_sockets(
      [=](Socket socket) { return echo_bytes(std::move(socket), request_bytes, std::string(answer_bytes, 'x')); },
      listening);
}

}  // namespace whence::bench
