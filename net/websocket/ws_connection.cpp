// Whole text frames that have arrived are taken without Beast, which costs two trips through the scheduler and a system
// call for each. Beast gets all others. Answers are framed here, each compressed on its own.

#include "net/websocket/ws_connection.hpp"

#include "net/state/service_state.hpp"
#include "net/stream/deflate.hpp"
#include "net/stream/frame.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/beast/http/field.hpp>

namespace whence::net {

namespace {

namespace websocket = boost::beast::websocket;
namespace http = boost::beast::http;

constexpr int missed_pings_max = 2;
constexpr std::size_t kept_message_bytes_max = std::size_t{64} << 10;  ///< a larger message buffer is given back
constexpr std::size_t kept_answer_bytes_max = std::size_t{8} << 10;    ///< memory of a larger answer is given back
constexpr std::size_t read_bytes_max = std::size_t{64} << 10;          ///< of a message at once
constexpr std::uint16_t close_hello_missing = 4408;

/// How long messages that have arrived together are answered one after the other. A message more costs little, since
/// what takes long is done by workers.
constexpr std::chrono::microseconds turn_max{100};
constexpr std::size_t hello_bytes_max = std::size_t{64} << 10;  ///< of a message before a valid token
constexpr int client_window_bits = 12;  ///< of compressed messages from the peer: 4 KiB, where it can do with that
constexpr int any_window_bits = 15;

/// Messages are inflated by Beast within `read_message_max`. Answers are compressed one by one, without a window that
/// would be kept for each connection. Beast refuses the whole offer where the peer's window is bounded unasked.
websocket::permessage_deflate deflate_options(std::string_view offer) {
  websocket::permessage_deflate options;
  bool const may_bound = offer.find("client_max_window_bits") != std::string_view::npos;
  options.server_enable = true;
  options.client_max_window_bits = may_bound ? client_window_bits : any_window_bits;
  options.server_no_context_takeover = true;
  return options;
}

}  // namespace

WsConnection::WsConnection(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const& where,
                           Grant grant, std::string peer, std::shared_ptr<PeerMemory> memory)
    : stream_{std::move(stream)},
      shared_{shared},
      where_{where},
      grant_{std::move(grant)},
      peer_{std::move(peer)},
      ws_{*stream_},
      memory_{std::move(memory)},
      incoming_{memory_},
      opened_at_{std::chrono::steady_clock::now()},
      heard_at_{opened_at_} {
  ++shared_.counts.websockets;
}

WsConnection::~WsConnection() {
  --shared_.counts.websockets;
  end();
}

Awaitable<void> WsConnection::run(HttpRequest const& request) {
  if (!co_await accept(request)) co_return;
  stream_->set_deadline(Moment::max());
  stream_->follow_frames();
  session_ = Session::make(*where_.service, session_config(), *this);
  stream_->on_room([weak = weak_from_this()] {
    if (auto const self = weak.lock()) self->post([self] { self->session_->on_drained(); });
  });
  check_token();  // it may have gone while the upgrade was answered
  if (shared_.is_draining) finish();
  co_await read_messages();
  while (is_close_sent_ && !is_close_done_) co_await stream_->async_wait(awaited);
  end();
  if (failure_) std::rethrow_exception(failure_);
}

/// A hello's token is remembered, as that of the handshake is. The session asks on this connection's context.
SessionConfig WsConnection::session_config() {
  auto config = shared_.session_config(where_, grant_, peer_);
  config.memory = memory_;
  if (!config.find_grant) return config;
  config.find_grant = [this](std::string_view secret) {
    auto found = where_.tokens.get()->find(secret, where_.now());
    if (found.role >= Role::read) grant_ = found;
    return found;
  };
  return config;
}

Awaitable<bool> WsConnection::accept(HttpRequest const& request) {
  auto const all = request[http::field::sec_websocket_extensions];
  auto const first = find_valid_offer({all.data(), all.size()});
  ws_.set_option(deflate_options(first));
  bool const names_protocol = request.count(http::field::sec_websocket_protocol) > 0;
  std::string const offered{first};
  ws_.set_option(websocket::stream_base::decorator([this, names_protocol, offered](websocket::response_type& response) {
    auto const accepted = response[http::field::sec_websocket_extensions];
    auto const named = with_named_window(offered, {accepted.data(), accepted.size()});
    window_bits_ = deflate_window_bits(named);
    if (window_bits_ > 0) response.set(http::field::sec_websocket_extensions, named);
    if (names_protocol) response.set(http::field::sec_websocket_protocol, subprotocol_name);
    response.set("X-Content-Type-Options", "nosniff");
  }));
  auto chosen = request;
  if (!offered.empty()) chosen.set(http::field::sec_websocket_extensions, offered);
  auto const [ec] = co_await ws_.async_accept(chosen, awaited);
  co_return !ec;
}

Awaitable<void> WsConnection::read_messages() {
  while (!is_close_sent_) {
    if (!stream_->has_unread()) {
      auto const [ec] = co_await stream_->async_receive(awaited);
      if (ec) co_return;
    }
    auto const next = take_messages();
    if (next == Next::pause) co_await asio::post(stream_->get_executor(), awaited);
    if (next == Next::read) {
      ws_.read_message_max(message_bytes_max());
      bool const has_message = co_await read_message();
      if (!has_message) co_return;
      if (!is_close_sent_) on_message();
    }
    if (has_to_wait()) co_await wait_for_room();
  }
}

std::size_t WsConnection::message_bytes_max() const {
  auto const bytes_max = shared_.config.message_bytes_max;
  return session_->awaits_hello() ? std::min(bytes_max, hello_bytes_max) : bytes_max;
}

/// Takes the messages that are there as whole text frames. Reading them through Beast costs two trips through the
/// scheduler and a system call for each. Beast gets every other frame, and one that it has to refuse.
WsConnection::Next WsConnection::take_messages() {
  Moment end = Moment::max();
  while (!is_close_sent_ && !has_to_wait() && stream_->has_unread()) {
    auto const now = std::chrono::steady_clock::now();
    if (now >= end) return Next::pause;
    if (end == Moment::max()) end = now + turn_max;
    auto const frame = find_text_frame(stream_->unread_frames());
    if (!frame || !ws_.is_open() || frame->payload.size() > message_bytes_max()) return Next::read;
    frame->unmask(text_);
    if (!schema::is_utf8(text_)) return Next::read;
    stream_->take_frames(frame->bytes);
    ++messages_;
    session_->on_text(text_);
  }
  return Next::go_on;
}

/// False where the connection ended. Beast answers pings, and closes by itself on broken frames (1002), bad UTF-8
/// (1007) and large messages (1009).
Awaitable<bool> WsConnection::read_message() {
  do {
    if (!make_room()) {
      message_ = {};
      incoming_.set(0);
      close(websocket::close_code::try_again_later, "not enough memory for this message");
      co_return false;
    }
    auto const [ec, bytes] = co_await ws_.async_read_some(message_, read_bytes_max, awaited);
    if (ec) co_return false;
  } while (!ws_.is_message_done());
  co_return true;
}

/// Makes room for the next part of a message. False: there is no memory for it. An allocation that fails inside of
/// Beast's operation would leave the scheduler, and the connection would wait for an answer that is not given.
bool WsConnection::make_room() {
  try {
    message_.prepare(read_bytes_max);
  } catch (std::bad_alloc const&) {
    return false;
  }
  return message_.capacity() <= kept_message_bytes_max || incoming_.try_set(message_.capacity());
}

void WsConnection::on_message() {
  ++messages_;
  if (!ws_.got_text()) return close(websocket::close_code::unknown_data, "text frames only");
  session_->on_text({static_cast<char const*>(message_.cdata().data()), message_.size()});
  message_.consume(message_.size());
  if (message_.capacity() > kept_message_bytes_max) message_ = {};
  incoming_.set(0);
}

bool WsConnection::has_to_wait() const {
  return stream_->is_open() && session_ && (stream_->is_congested() || session_->is_behind());
}

Awaitable<void> WsConnection::wait_for_room() {
  stream_->flush();
  while (has_to_wait()) co_await stream_->async_wait(awaited);
}

void WsConnection::send(std::string text) {
  // Beast knows first when the peer has closed; nothing may follow a close frame.
  if (is_close_sent_ || !ws_.is_open()) return;
  std::string deflated;
  if (window_bits_ > 0 && deflate_message(text, window_bits_, deflated)) {
    FrameHead const head{Opcode::compressed_text, deflated.size()};
    return stream_->append_whole(head.text(), std::move(deflated));
  }
  if (text.size() > kept_answer_bytes_max) {
    FrameHead const head{Opcode::text, text.size()};
    return stream_->append_whole(head.text(), std::move(text));
  }
  FrameHead const head{Opcode::text, text.size()};
  stream_->append(head.text(), text);
  if (text.capacity() > kept_answer_bytes_max) return;
  text.clear();
  sent_ = std::move(text);
}

void WsConnection::close(std::uint16_t code, std::string_view reason) {
  if (is_close_sent_ || !ws_.is_open()) return;
  is_close_sent_ = true;
  if (code == websocket::close_code::try_again_later) ++shared_.counts.busy_websockets;
  stream_->set_deadline(std::chrono::steady_clock::now() + BufferedStream::shut_down_max);
  ws_.async_close(websocket::close_reason{static_cast<websocket::close_code>(code), reason},
                  [self = shared_from_this()](error_code const&) {
                    self->is_close_done_ = true;
                    self->stream_->wake();
                  });
}

void WsConnection::post(std::function<void()> task) {
  asio::post(stream_->get_executor(), [weak = weak_from_this(), task = std::move(task)] {
    auto const self = weak.lock();
    if (!self || !self->session_) return;
    try {
      task();
    } catch (...) {  // carried to where the connection ends
      self->failure_ = std::current_exception();
      self->stream_->close();
    }
  });
}

void WsConnection::on_tick(Moment now) {
  if (!session_ || is_close_sent_) return;
  if (grant_.expires) check_token();
  check_hello(now);
  check_progress(now);
  check_pulse(now);
  session_->on_tick();
}

void WsConnection::check_hello(Moment now) {
  if (now - opened_at_ < shared_.config.hello_timeout || !session_->awaits_hello()) return;
  close(close_hello_missing, "session.hello expected");
}

void WsConnection::check_pulse(Moment now) {
  if (stream_->take_heard()) {
    heard_at_ = now;
    pings_ = 0;
  }
  if (now - heard_at_ < shared_.config.ping_idle * (pings_ + 1)) return;
  if (pings_ == missed_pings_max) return stream_->close();
  ++pings_;
  FrameHead const head{Opcode::ping, 0};
  if (ws_.is_open()) stream_->append(head.text());
}

/// A peer that sends its message a byte at a time is alive, and holds what has arrived of it all the same.
void WsConnection::check_progress(Moment now) {
  if (ws_.is_message_done()) {
    incomplete_.reset();
  } else if (!incomplete_ || incomplete_->messages_before != messages_) {
    incomplete_ = {.messages_before = messages_, .since = now};
  } else if (now - incomplete_->since >= shared_.config.body_timeout) {
    close(websocket::close_code::policy_error, "a message did not arrive in time");
  }
}

void WsConnection::check_token() {
  if (!session_ || is_close_sent_ || where_.tokens.get()->still_grants(grant_, where_.now())) return;
  where_.service->state().audit.ended(grant_, peer_);
  close(websocket::close_code::policy_error, "the token is no longer valid");
}

void WsConnection::drain() {
  if (session_) session_->drain();
}

bool WsConnection::is_idle() const {
  return !session_ || session_->is_idle();
}

void WsConnection::finish() {
  if (!session_) return;
  session_->drain();
  session_->abort_running();
  session_->finish(websocket::close_code::going_away, "the server shuts down");
}

void WsConnection::end() noexcept {
  if (auto const session = std::exchange(session_, nullptr)) session->on_closed();
}

}  // namespace whence::net
