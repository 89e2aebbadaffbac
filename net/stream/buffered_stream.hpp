#pragma once
// The byte stream of one connection, plain or TLS, that turns many small reads and writes into few system calls.
// Beast's HTTP and WebSocket algorithms run on top of it as on any AsyncStream.

#include "net/access/claims.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/frame.hpp"
#include "net/work/memory_budget.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>

namespace whence::net {

/// A connected socket with a read buffer and a send queue.
///
/// A bare websocket::stream makes one system call per frame written and up to two per frame read; with pipelined
/// requests that is most of the work. Here writes are queued and leave together, at the latest when the reader has
/// used up what it had and asks the socket for more.
///
/// Invariants:
/// 1. Bytes leave in the order in which they were queued, and what one `append` or `async_write_some` was given is
/// never
///    torn apart by another, so whole frames may be queued from several places.
/// 2. At most one write and one read of the socket are under way. A read that meets that of `async_receive` waits for
///    it: Beast reads on while it closes.
/// 3. Queued bytes are never forgotten: while the queue is not empty, a write is under way, a flush is posted, or the
///    reader is between two reads of the socket (and flushes before the next).
/// 4. `async_write_some` takes everything at once but completes only while the queue is within its bound: a caller that
/// waits
///    for completions cannot outrun the peer. `append` does not wait; its callers watch `is_congested`.
/// 5. No completion is invoked from within the function that started it.
///
/// All members run on the connection's context. Operations of Beast refer to the stream, so its owner outlives them; a
/// write under way keeps the stream alive itself.
class BufferedStream : public std::enable_shared_from_this<BufferedStream> {
 public:
  using executor_type = Executor;

  /// The stream takes of `tls`, where given, what it needs later.
  BufferedStream(Socket socket, asio::ssl::context* tls, std::size_t queue_bytes_max);

  [[nodiscard]] executor_type get_executor() noexcept { return socket_.get_executor(); }
  [[nodiscard]] Socket& socket() noexcept { return socket_; }

  /// What is queued counts in `memory` from now on.
  void count_in(std::shared_ptr<PeerMemory> memory) { queued_.emplace(std::move(memory)); }

  /// The TLS handshake; nothing to do on a plain connection.
  [[nodiscard]] Awaitable<error_code> handshake();

  /// The certificate that the peer has shown in the handshake, where one was asked for and it is right.
  [[nodiscard]] std::optional<CertificateClaim> peer_certificate();

  /// Why the peer's certificate ended the handshake; empty where that was not what ended it.
  [[nodiscard]] std::string refused_certificate();

  /// Reads at least one byte (AsyncReadStream).
  template <class MutableBuffers, class Token>
  auto async_read_some(MutableBuffers const& buffers, Token&& token);

  /// Queues all bytes (AsyncWriteStream).
  template <class ConstBuffers, class Token>
  auto async_write_some(ConstBuffers const& buffers, Token&& token);

  /// Queues `head` and `body` as one piece.
  void append(std::string_view head, std::string_view body = {});
  /// The same for a body that may be large: it is kept as it is, not copied.
  void append_whole(std::string_view head, std::string body);

  /// Puts bytes that were read too early back in front of what is to be read.
  void unread(std::string_view bytes);

  /// From now on frames are read: `async_read_some` gives no byte beyond the frame that it is in. So what it has not
  /// given yet begins with a frame wherever a message has been read, and may be taken without it.
  void follow_frames() { frames_.emplace(); }

  /// What was received and not yet read, from the beginning of a frame on; empty within one.
  [[nodiscard]] std::string_view unread_frames() const noexcept;
  /// Takes whole frames from the front of `unread_frames`.
  void take_frames(std::size_t bytes) noexcept { read_begin_ += bytes; }
  [[nodiscard]] bool has_unread() const noexcept { return read_begin_ < read_end_; }

  /// Completes, as `void(error_code)`, when something was received that may be read. There must be nothing unread.
  template <class Token>
  auto async_receive(Token&& token);

  /// Writes what is queued, unless a write is under way. What the kernel does not take at once is written later.
  void flush();

  [[nodiscard]] std::size_t queued_bytes() const noexcept {
    return waiting_bytes_ + pending_.size() + writing_.size() - written_;
  }
  [[nodiscard]] bool is_congested() const noexcept { return queued_bytes() > queue_bytes_max_; }
  /// Whether so little is queued that what is not asked for may be added.
  [[nodiscard]] bool has_room() const noexcept { return queued_bytes() <= std::min(room_bytes, queue_bytes_max_); }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  /// Sets the callback, run inside a completion whenever the queue is within its bound again, or has room again. Must
  /// not throw.
  void on_room(std::function<void()> callback) { on_room_ = std::move(callback); }

  /// Completes, as `void(error_code)` with a meaningless code, after the next `wake`: when the queue shrank or the
  /// stream closed. Callers check in a loop what they wait for.
  template <class Token>
  auto async_wait(Token&& token);
  void wake();

  /// Sends what is queued, shuts down sending, and reads until the peer has shut down too or the deadline passes.
  /// Closing at once instead would reset the connection and could take the last answer with it.
  template <class Token>
  auto async_shut_down(Token&& token);

  /// Ends everything at once; pending operations complete with an error.
  void close() noexcept;

  /// When the owner's tick closes the stream.
  void set_deadline(Moment deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] Moment deadline() const noexcept { return deadline_; }

  /// Whether the peer gave a sign of life (sent bytes or took some) since the last call.
  [[nodiscard]] bool take_heard() noexcept { return std::exchange(has_heard_, false); }

  /// How much the peer has taken, as far as its kernel's buffers and ours show.
  [[nodiscard]] std::uint64_t taken_bytes() const noexcept { return taken_bytes_; }

  /// How long a shut down may take.
  static constexpr std::chrono::seconds shut_down_max{2};

 private:
  static constexpr std::size_t read_buffer_bytes = std::size_t{8} << 10;
  static constexpr std::size_t flush_bytes = std::size_t{64}
                                             << 10;  ///< queued at this size, sent without waiting for more
  static constexpr std::size_t room_bytes = std::size_t{256} << 10;
  static constexpr std::size_t kept_bytes_max = std::size_t{256} << 10;  ///< larger buffers are given back when empty

  template <class Buffers, class Op>
  void read_socket(Buffers const& buffers, Op&& op);
  template <class MutableBuffers>
  std::size_t take_read(MutableBuffers const& buffers);
  void flush_soon();
  void set_pending_aside();
  [[nodiscard]] bool take_next();
  [[nodiscard]] bool write_at_once();
  void end_write();
  void write_next();
  void on_written(error_code const& ec, std::size_t bytes);

  Socket socket_;
  std::optional<asio::ssl::stream<Socket&>> tls_;
  std::size_t queue_bytes_max_;

  std::vector<char> read_;  ///< read_[read_begin_ .. read_end_) was received and not yet asked for
  std::size_t read_begin_ = 0;
  std::size_t read_end_ = 0;
  std::optional<FrameBounds> frames_;  ///< of what was read before `read_begin_`

  void count_queued();

  std::optional<MemoryClaim> queued_;
  std::deque<std::string> waiting_;  ///< queued after `writing_`, each written by itself
  std::size_t waiting_bytes_ = 0;    ///< in `waiting_`
  std::size_t waiting_held_ = 0;     ///< what they take in memory
  std::string pending_;              ///< queued after `waiting_`
  std::string writing_;              ///< being written, from `written_`
  std::size_t written_ = 0;
  std::uint64_t taken_bytes_ = 0;

  std::function<void()> on_room_;
  Timer event_;  ///< never expires; cancelled by `wake`
  std::size_t waiters_ = 0;
  Moment deadline_ = Moment::max();
  bool is_open_ = true;
  bool is_reading_ = false;    ///< a read of the socket is under way
  bool is_receiving_ = false;  ///< and it is that of `async_receive`
  bool is_writing_ = false;
  bool is_flush_posted_ = false;
  bool has_heard_ = true;
};

/// Beast's customisation points: how it ends a connection in order, and how at once.
template <class Handler>
void async_teardown(boost::beast::role_type, BufferedStream& stream, Handler&& handler) {
  stream.async_shut_down(std::forward<Handler>(handler));
}
inline void beast_close_socket(BufferedStream& stream) {
  stream.close();
}

template <class Buffers, class Op>
void BufferedStream::read_socket(Buffers const& buffers, Op&& op) {
  if (tls_) {
    tls_->async_read_some(buffers, std::forward<Op>(op));
  } else {
    socket_.async_read_some(buffers, std::forward<Op>(op));
  }
}

template <class MutableBuffers>
std::size_t BufferedStream::take_read(MutableBuffers const& buffers) {
  std::size_t taken = std::min(read_end_ - read_begin_, asio::buffer_size(buffers));
  if (frames_) taken = frames_->take({read_.data() + read_begin_, taken});
  asio::buffer_copy(buffers, asio::buffer(read_.data() + read_begin_, taken));
  read_begin_ += taken;
  return taken;
}

template <class MutableBuffers, class Token>
auto BufferedStream::async_read_some(MutableBuffers const& buffers, Token&& token) {
  enum class Step { start, buffered, into_buffer, direct };
  auto read = [this, buffers, step = Step::start](auto& op, error_code ec = {}, std::size_t bytes = 0) mutable {
    switch (step) {
      case Step::start:
        if (is_receiving_) return async_wait(std::move(op));
        if (has_unread() || asio::buffer_size(buffers) == 0) {
          step = Step::buffered;
          return asio::post(get_executor(), std::move(op));
        }
        flush();
        is_reading_ = true;
        if (asio::buffer_size(buffers) >= read_buffer_bytes) {
          step = Step::direct;
          return read_socket(buffers, std::move(op));
        }
        step = Step::into_buffer;
        return read_socket(asio::buffer(read_), std::move(op));
      case Step::buffered:
        return op.complete({}, take_read(buffers));
      case Step::into_buffer:
        read_begin_ = 0;
        read_end_ = bytes;
        bytes = take_read(buffers);
        is_reading_ = false;
        has_heard_ = has_heard_ || !ec;
        return op.complete(ec, bytes);
      case Step::direct:
        if (frames_) frames_->skip(bytes);  // a buffer as large as that is one for payload
        is_reading_ = false;
        has_heard_ = has_heard_ || !ec;
        return op.complete(ec, bytes);
    }
  };
  return asio::async_compose<Token, void(error_code, std::size_t)>(std::move(read), token, socket_);
}

template <class Token>
auto BufferedStream::async_receive(Token&& token) {
  auto receive = [this, is_started = false](auto& op, error_code ec = {}, std::size_t bytes = 0) mutable {
    if (!is_started) {
      is_started = true;
      flush();
      is_reading_ = is_receiving_ = true;
      return read_socket(asio::buffer(read_), std::move(op));
    }
    is_reading_ = is_receiving_ = false;
    has_heard_ = has_heard_ || !ec;
    read_begin_ = 0;
    read_end_ = bytes;
    if (waiters_ > 0) wake();
    op.complete(ec);
  };
  return asio::async_compose<Token, void(error_code)>(std::move(receive), token, socket_);
}

template <class ConstBuffers, class Token>
auto BufferedStream::async_write_some(ConstBuffers const& buffers, Token&& token) {
  auto write = [this, buffers, is_queued = false](auto& op, error_code = {}) mutable {
    if (!is_queued) {
      is_queued = true;
      for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at) {
        asio::const_buffer const piece{*at};
        append({static_cast<char const*>(piece.data()), piece.size()});
      }
      return asio::post(get_executor(), std::move(op));
    }
    if (!is_open_) return op.complete(asio::error::operation_aborted, 0);
    if (is_congested()) return async_wait(std::move(op));
    op.complete({}, asio::buffer_size(buffers));
  };
  return asio::async_compose<Token, void(error_code, std::size_t)>(std::move(write), token, socket_);
}

template <class Token>
auto BufferedStream::async_wait(Token&& token) {
  ++waiters_;
  return event_.async_wait(std::forward<Token>(token));
}

template <class Token>
auto BufferedStream::async_shut_down(Token&& token) {
  enum class Step { send, finish_tls, discard };
  auto shut_down = [this, step = Step::send](auto& op, error_code ec = {}, std::size_t = 0) mutable {
    switch (step) {
      case Step::send:
        set_deadline(std::min(deadline_, std::chrono::steady_clock::now() + shut_down_max));
        flush();
        if (is_open_ && queued_bytes() > 0) return async_wait(std::move(op));
        if (tls_ && is_open_) {
          step = Step::finish_tls;
          return tls_->async_shutdown(std::move(op));
        }
        socket_.shutdown(asio::socket_base::shutdown_send, ec);
        step = Step::discard;
        return socket_.async_read_some(asio::buffer(read_), std::move(op));
      case Step::discard:
        if (!ec) return socket_.async_read_some(asio::buffer(read_), std::move(op));
        [[fallthrough]];
      case Step::finish_tls:
        close();
        return op.complete({});
    }
  };
  return asio::async_compose<Token, void(error_code)>(std::move(shut_down), token, socket_);
}

}  // namespace whence::net
