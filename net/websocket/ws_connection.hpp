#pragma once
// The WebSocket half of a connection: frames in and out around a session.

#include "net/service/session.hpp"
#include "net/serving/shared.hpp"
#include "net/serving/upgraded.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/stream/close_codes.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace whence::net {

/// Carries one session. Runs on the connection's context, `post` alone may be called from any thread.
///
/// Control frames, closing and all but the usual kind of message are Beast's to read. Answers are framed here and
/// queued on the stream directly, inside the call that made them: awaiting a Beast write for each would cost a trip
/// through the scheduler per message.
class WsConnection final : public Upgraded, public SessionHost, public std::enable_shared_from_this<WsConnection> {
 public:
  WsConnection(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where, Grant grant,
               std::string peer, std::shared_ptr<PeerMemory> memory);
  ~WsConnection() override;

  /// Accepts the upgrade and serves until the connection ends. `request` has been checked and outlives the call. Throws
  /// what a task of the session threw.
  [[nodiscard]] Awaitable<void> run(HttpRequest const& request);

  // SessionHost
  void send(std::string text) override;
  [[nodiscard]] std::string empty_text() override { return std::exchange(sent_, {}); }
  void close(std::uint16_t code, std::string_view reason) override;
  void post(std::function<void()> task) override;
  [[nodiscard]] bool is_congested() const override { return stream_->is_congested(); }
  [[nodiscard]] bool has_room() const override { return stream_->has_room(); }
  void on_caught_up() override { stream_->wake(); }

  // Upgraded
  void on_tick(Moment now) override;  ///< pings a silent peer; closes on one that missed two pings or sends no hello
  void check_token() override;        ///< or the connection's has ended: closes with 1008
  void drain() override;
  [[nodiscard]] bool is_idle() const override;
  void finish() override;  ///< lets subscriptions end, then closes with 1001
  void end() noexcept override;

 private:
  [[nodiscard]] SessionConfig session_config();
  [[nodiscard]] Awaitable<bool> accept(HttpRequest const& request);
  /// What the reader does after `take_messages`.
  enum class Next : std::uint8_t {
    go_on,
    pause,  ///< its turn is over: the other connections of the thread have theirs
    read,   ///< the next frame is one for Beast
  };

  [[nodiscard]] Awaitable<void> read_messages();
  [[nodiscard]] Next take_messages();
  [[nodiscard]] Awaitable<bool> read_message();
  [[nodiscard]] std::size_t message_bytes_max() const;
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool has_to_wait() const;
  [[nodiscard]] Awaitable<void> wait_for_room();
  void on_message();
  void check_hello(Moment now);
  void check_pulse(Moment now);
  void check_progress(Moment now);

  /// A message of which a part has arrived.
  struct Incomplete {
    std::uint64_t messages_before;
    Moment since;
  };

  std::shared_ptr<BufferedStream> stream_;
  ServerShared const& shared_;
  Namespace const& where_;
  Grant grant_;             ///< of the handshake, then of the hello
  std::string const peer_;  ///< address of the other side
  boost::beast::websocket::stream<BufferedStream&, true> ws_;
  boost::beast::flat_buffer message_;  ///< read by Beast
  std::string text_;                   ///< a message that came as one text frame
  std::string sent_;                   ///< empty: the memory of the last answer, 8 KiB at most, which the next one uses
  std::shared_ptr<PeerMemory> memory_;
  MemoryClaim incoming_;              ///< of `message_`, where it is large
  std::shared_ptr<Session> session_;  ///< from acceptance until `end`
  std::exception_ptr failure_;        ///< of a posted task; thrown where the connection ends
  Moment opened_at_;
  Moment heard_at_;
  std::uint64_t messages_ = 0;                 ///< received
  std::optional<Incomplete> incomplete_ = {};  ///< since the first tick that found it so
  int pings_ = 0;                              ///< sent since the peer was last heard
  int window_bits_ = 0;                        ///< of compressed messages to this peer; 0: it takes none
  bool is_close_sent_ = false;
  bool is_close_done_ = false;
};

}  // namespace whence::net
