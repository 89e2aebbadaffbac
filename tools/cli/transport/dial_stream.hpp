#pragma once
// A connection to a server, plain or TLS, as a byte stream for Beast's HTTP and WebSocket algorithms. Heavy: for the
// sources of the clients alone.

#include "tools/cli/transport/dial.hpp"

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/system/system_error.hpp>

namespace whence::tools {

/// Runs asynchronous operations one at a time to their end. Synchronous ones could neither time out nor be stopped.
class OperationLoop {
 public:
  /// Starts an operation by `start(token)` and runs until it is done. Throws system_error if it fails, with
  /// `operation_aborted` after `stop`.
  template <class Start>
  auto finish(Start&& start) {
    // Bound to the context, because an operation runs on its handler's executor: that of a bare future is Asio's own.
    auto done = start(boost::asio::bind_executor(io_.get_executor(), boost::asio::use_future));
    while (done.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
      if (io_.run_one() == 0) throw boost::system::system_error{boost::asio::error::operation_aborted};
    }
    return done.get();
  }

  /// Ends the operation that runs and all later ones. Callable from any thread.
  void stop() { io_.stop(); }

  [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }

 private:
  boost::asio::io_context io_{1};
  /// Keeps the context running while there is no work: only `stop` ends it.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{io_.get_executor()};
};

/// A TLS connection that was not made, and why: what the error code alone does not say.
class TlsFailure : public boost::system::system_error {
 public:
  TlsFailure(boost::system::error_code code, std::string why) : system_error(code), why_(std::move(why)) {}
  [[nodiscard]] std::string const& why() const noexcept { return why_; }

 private:
  std::string why_;
};

/// Takes the client's certificate and key into `context`, where `config` has them. Fails with exit code `usage`, naming
/// the flag and the file.
[[nodiscard]] CallResult<void> use_client_certificate(boost::asio::ssl::context& context, DialConfig const& config);

/// The error for a connection to `url` that ended with `failed`; `hint` is that of `unreachable`.
[[nodiscard]] CallError not_connected(Url const& url, boost::system::system_error const& failed, std::string_view hint);

/// One connection. TLS certificates are checked against the system's authorities and the host name. `loop` and `config`
/// outlive it.
class DialStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  DialStream(OperationLoop& loop, DialConfig const& config);

  /// Connects. Throws system_error if that fails, TlsFailure where it is known to be due to TLS.
  void open();

  /// One step of a call: `OperationLoop::finish` within the configured time.
  template <class Start>
  auto finish(Start&& start) {
    if (config_.timeout.count() > 0) tcp_.expires_after(config_.timeout);
    return loop_.finish(std::forward<Start>(start));
  }

  /// Removes the time limit from all later operations.
  void lift_timeout() { tcp_.expires_never(); }

  /// Whether bytes can be read. If no answer is pending, that means the server has closed the connection.
  [[nodiscard]] bool is_readable();

  void close() noexcept { tcp_.close(); }

  [[nodiscard]] executor_type get_executor() noexcept { return tcp_.get_executor(); }

  template <class Buffers, class Token>
  auto async_read_some(Buffers const& buffers, Token&& token) {
    return tls_ ? tls_->async_read_some(buffers, std::forward<Token>(token))
                : tcp_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(Buffers const& buffers, Token&& token) {
    return tls_ ? tls_->async_write_some(buffers, std::forward<Token>(token))
                : tcp_.async_write_some(buffers, std::forward<Token>(token));
  }

 private:
  OperationLoop& loop_;
  DialConfig const& config_;
  [[nodiscard]] bool accept(bool is_trusted, boost::asio::ssl::verify_context& certificate);

  std::string refusal_;  ///< why the server's certificate was refused
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_client};
  boost::beast::tcp_stream tcp_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
};

/// Beast's customisation points for closing a connection gracefully and at once. Both do the same: after the close
/// frames nothing more is sent.
template <class Handler>
void async_teardown(boost::beast::role_type, DialStream& stream, Handler&& handler) {
  stream.close();
  boost::asio::post(stream.get_executor(),
                    [handler = std::forward<Handler>(handler)]() mutable { handler(boost::system::error_code{}); });
}
inline void beast_close_socket(DialStream& stream) {
  stream.close();
}

}  // namespace whence::tools
