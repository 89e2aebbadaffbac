// Bytes from and to sockets and WebSockets.

#include "net/bolt/carrier.hpp"

#include "net/stream/close_codes.hpp"
#include "net/stream/frame.hpp"

#include <chrono>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace whence::net::bolt {

namespace {

namespace websocket = boost::beast::websocket;

constexpr std::size_t read_bytes_max = std::size_t{16} << 10;

class PlainCarrier final : public Carrier {
 public:
  explicit PlainCarrier(std::shared_ptr<BufferedStream> stream) : stream_{std::move(stream)} {}

  Awaitable<bool> read(std::string& input) override {
    if (!stream_->has_unread()) {
      auto const [ec] = co_await stream_->async_receive(awaited);
      if (ec) co_return false;
    }
    auto const unread = stream_->unread_frames();
    input.append(unread);
    stream_->take_frames(unread.size());
    co_return true;
  }

  void write(std::string bytes) override { stream_->append_whole({}, std::move(bytes)); }

  void close() override {
    stream_->set_deadline(std::chrono::steady_clock::now() + BufferedStream::shut_down_max);
    error_code ignored;
    stream_->socket().shutdown(asio::socket_base::shutdown_receive, ignored);
  }

  Awaitable<void> finish() override { co_return; }

  void ping() override {}

 private:
  std::shared_ptr<BufferedStream> stream_;
};

class WebSocketCarrier final : public Carrier {
 public:
  explicit WebSocketCarrier(std::shared_ptr<BufferedStream> stream) : stream_{std::move(stream)}, ws_{*stream_} {
    // A frame's size is no message's: these are counted where their chunks are joined.
    ws_.read_message_max(0);
    ws_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set("X-Content-Type-Options", "nosniff"); }));
  }

  [[nodiscard]] Awaitable<bool> accept(HttpRequest const& request) {
    auto const [ec] = co_await ws_.async_accept(request, awaited);
    co_return !ec;
  }

  Awaitable<bool> read(std::string& input) override {
    std::size_t taken = 0;
    while (taken == 0) {
      auto const [ec, bytes] = co_await ws_.async_read_some(received_, read_bytes_max, awaited);
      if (ec) co_return false;
      if (!ws_.got_binary()) {
        auto const [closed] = co_await ws_.async_close(
            websocket::close_reason{websocket::close_code::unknown_data, "binary frames only"}, awaited);
        static_cast<void>(closed);
        co_return false;
      }
      input.append(static_cast<char const*>(received_.cdata().data()), received_.size());
      taken = received_.size();
      received_.consume(taken);
    }
    co_return true;
  }

  void write(std::string bytes) override {
    if (!ws_.is_open() || is_closing_) return;
    FrameHead const head{Opcode::binary, bytes.size()};
    stream_->append_whole(head.text(), std::move(bytes));
  }

  void close() override {
    if (!ws_.is_open() || is_closing_) return;
    is_closing_ = true;
    stream_->set_deadline(std::chrono::steady_clock::now() + BufferedStream::shut_down_max);
    ws_.async_close(websocket::close_code::normal, [this](error_code const&) {
      is_closing_ = false;
      stream_->wake();
    });
  }

  Awaitable<void> finish() override {
    while (is_closing_) co_await stream_->async_wait(awaited);
  }

  void ping() override {
    FrameHead const ping{Opcode::ping, 0};
    if (ws_.is_open() && !is_closing_) stream_->append(ping.text());
  }

 private:
  std::shared_ptr<BufferedStream> stream_;
  websocket::stream<BufferedStream&, false> ws_;
  boost::beast::flat_buffer received_;
  bool is_closing_ = false;  ///< a close frame is on its way, or the peer's answer
};

}  // namespace

std::unique_ptr<Carrier> carry_plain(std::shared_ptr<BufferedStream> stream) {
  return std::make_unique<PlainCarrier>(std::move(stream));
}

Awaitable<std::unique_ptr<Carrier>> carry_websocket(std::shared_ptr<BufferedStream> stream,
                                                    HttpRequest const& request) {
  auto carrier = std::make_unique<WebSocketCarrier>(std::move(stream));
  bool const is_accepted = co_await carrier->accept(request);
  if (!is_accepted) carrier.reset();
  co_return std::move(carrier);
}

}  // namespace whence::net::bolt
