// Serves HTTP requests one after the other.

#include "net/server/connection.hpp"

#include "net/access/rights.hpp"
#include "net/base/version.hpp"
#include "net/bolt/connection.hpp"
#include "net/capture/capture.hpp"
#include "net/http/capture_call.hpp"
#include "net/http/content_coding.hpp"
#include "net/http/langfuse_media_protocol.hpp"
#include "net/http/mcp_call.hpp"
#include "net/http/openlineage_protocol.hpp"
#include "net/http/otlp_protocol.hpp"
#include "net/http/rpc_call.hpp"
#include "net/mcp/server.hpp"
#include "net/state/service_state.hpp"
#include "net/stream/tls_context.hpp"
#include "net/websocket/ws_connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <type_traits>
#include <utility>

#include <boost/beast/core/file_base.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/file_body.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/beast/http/write.hpp>
#include <poll.h>

namespace whence::net {

namespace {

namespace http = boost::beast::http;
using http::field;
using http::status;

constexpr char const* protobuf_type = "application/x-protobuf";
constexpr std::uint32_t header_bytes_max = std::uint32_t{16} << 10;
constexpr std::chrono::seconds plain_told_every{60};
constexpr std::chrono::seconds half_closed_max{1};
constexpr std::chrono::seconds unread_max{5};  ///< how long much may wait unread while memory is short
constexpr char const* no_memory_message = "not enough memory for this request now";

/// Shorter pages are answered whatever others hold: who looks for the reason needs the metrics.
constexpr std::size_t page_bytes_always = std::size_t{256} << 10;

/// IPv4 that came in as IPv6 is IPv4.
asio::ip::address plain(asio::ip::address address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

/// Empty where the peer has gone.
std::string peer_of(Socket const& socket) {
  error_code gone;
  auto const peer = socket.remote_endpoint(gone);
  return gone ? std::string{} : plain(peer.address()).to_string();
}

OriginPolicy::Arrival arrival_of(Socket const& socket) {
  error_code gone;
  auto const address = plain(socket.local_endpoint(gone).address());
  return {.address = address.to_string(), .is_loopback = address.is_loopback()};
}

/// Sends the compressed form to a client that accepts it.
void choose_encoding(HttpRequest const& request, HttpAnswer& answer, http::response<http::string_body>& response) {
  if (answer.gzipped.empty()) return;
  response.insert(field::vary, "Accept-Encoding");
  if (!http::ext_list{request[field::accept_encoding]}.exists("gzip")) return;
  response.set(field::content_encoding, "gzip");
  answer.body = std::move(answer.gzipped);
}

bool has_type(HttpRequest const& request, boost::beast::string_view wanted) {
  auto const type = request[field::content_type];
  auto const essence = type.substr(0, type.find_first_of("; \t"));
  return boost::beast::iequals(essence, wanted);
}

/// The trace that a request says it belongs to. Of two that it names none counts.
std::optional<TraceContext> trace_of(HttpRequest const& request) {
  if (request.count("traceparent") != 1) return std::nullopt;
  auto const value = request["traceparent"];
  return parse_traceparent({value.data(), value.size()});
}

bool is_json(HttpRequest const& request) {
  return has_type(request, "application/json");
}

/// How requests of a route are taken; null where its kind is none of telemetry.
std::shared_ptr<CaptureProtocol const> capture_protocol(Route::Kind kind, HttpRequest const& request) {
  auto const encoding = has_type(request, protobuf_type) ? capture::Encoding::protobuf : capture::Encoding::json;
  switch (kind) {
    case Route::Kind::traces:
      return std::make_shared<OtlpProtocol>(capture::Signal::traces, encoding);
    case Route::Kind::logs:
      return std::make_shared<OtlpProtocol>(capture::Signal::logs, encoding);
    case Route::Kind::metrics:
      return std::make_shared<OtlpProtocol>(capture::Signal::metrics, encoding);
    case Route::Kind::lineage:
      return std::make_shared<OpenLineageProtocol>(false);
    case Route::Kind::lineage_batch:
      return std::make_shared<OpenLineageProtocol>(true);
    case Route::Kind::media:
      return std::make_shared<LangfuseMediaProtocol>();
    default:
      return nullptr;
  }
}

/// Whether the body is as the content type says, without compression on top.
bool is_unencoded(HttpRequest const& request) {
  if (request.count(field::content_encoding) == 0) return true;
  return request.count(field::content_encoding) == 1 &&
         boost::beast::iequals(request[field::content_encoding], "identity");
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7).
std::string http_date(std::chrono::system_clock::time_point now) {
  static constexpr std::array<char const*, 7> weekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<char const*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  auto const seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  auto const size = std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                  weekdays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                                  months.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900, utc.tm_hour,
                                  utc.tm_min, utc.tm_sec);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

HttpConnection::HttpConnection(Socket socket, ServerShared& shared, Arriving arriving)
    : shared_{shared},
      stream_{std::make_shared<BufferedStream>(std::move(socket), shared.tls.get().get(),
                                               shared.config.send_queue_bytes_max)},
      reader_{*stream_},
      memory_{std::make_shared<PeerMemory>(shared.memory)},
      incoming_{memory_} {
  stream_->count_in(memory_);
  ++(arriving == Arriving::metrics ? shared_.counts.metrics_connections : shared_.connections);
  circumstances_.is_late = shared.is_draining;
  circumstances_.arrival = arrival_of(stream_->socket());
  circumstances_.peer = peer_of(stream_->socket());
  circumstances_.arriving = arriving;
  error_code ignored;
  stream_->socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
}

HttpConnection::~HttpConnection() {
  --(circumstances_.arriving == Arriving::metrics ? shared_.counts.metrics_connections : shared_.connections);
}

/// Nothing can be said to the peer, which waits for another protocol: to the operator, once a minute.
void HttpConnection::tell_of_plain_peer() const {
  auto const now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch());
  auto told = shared_.plain_told_s.load();
  if (told != 0 && now.count() - told < plain_told_every.count()) return;
  if (!shared_.plain_told_s.compare_exchange_strong(told, now.count())) return;
  auto const& log = shared_.namespaces.stores().front()->service->state().config.log;
  if (!log) return;
  bool const is_bolt = circumstances_.arriving == Arriving::bolt;
  log({.level = LogLevel::warning,
       .component = "server",
       .event = "plain_connection",
       .data = is_bolt ? R"({"port":"bolt"})" : R"({"port":"main"})",
       .error = is_bolt ? "a client does not speak TLS, which this port does: drivers need bolt+s:// or neo4j+s://"
                        : "a client does not speak TLS, which this port does: clients need https:// or wss://"});
}

Awaitable<void> HttpConnection::run() {
  auto const self = shared_from_this();
  allow_for(shared_.config.header_timeout);
  authority_ = shared_.client_authority;
  auto const failed = co_await stream_->handshake();
  if (failed) {
    if (is_plain_peer(failed)) tell_of_plain_peer();
    auto const refused = stream_->refused_certificate();
    if (!refused.empty()) shared_.audit->refused({}, "TLS", circumstances_.peer, refused);
    co_return;
  }
  circumstances_.certificate = stream_->peer_certificate();
  bool is_bolt = circumstances_.arriving == Arriving::bolt;
  if (is_bolt) is_bolt = co_await serve_bolt_bytes();
  if (!is_bolt) {
    co_await serve_requests();
    if (upgraded_) co_return stream_->close();  // Beast has ended it in order where it could
  }
  co_await send_queued();
  co_await stream_->async_shut_down(awaited);
}

Awaitable<void> HttpConnection::send_queued() {
  stream_->flush();
  while (stream_->is_open() && stream_->queued_bytes() > 0) co_await stream_->async_wait(awaited);
}

Awaitable<void> HttpConnection::serve_requests() {
  for (auto next = Next::request; next == Next::request && !is_finishing_;) {
    RequestParser parser;
    parser.header_limit(header_bytes_max);
    parser.body_limit(boost::none);  // checked against the route's limit once the path is known
    is_reading_ = true;
    auto const ec = co_await reader_.read_header(parser);
    is_reading_ = false;
    if (ec) {
      next = co_await refuse_broken(parser, ec);
    } else {
      next = co_await serve_request(parser);
    }
    allow_for(shared_.config.keep_alive_timeout);
  }
}

Awaitable<HttpConnection::Next> HttpConnection::refuse_broken(RequestParser& parser, error_code ec) {
  if (is_out_of_time_) {
    auto late = error_answer(status::request_timeout, "the request did not arrive in time");
    co_return co_await write(parser.get(), std::move(late), false);
  }
  static auto const& http_errors = http::make_error_code(http::error::end_of_stream).category();
  if (ec.category() != http_errors || ec == http::error::end_of_stream || ec == http::error::partial_message) {
    co_return Next::close;
  }
  bool const is_long = ec == http::error::header_limit || ec == http::error::buffer_overflow;
  auto answer = is_long ? error_answer(status::request_header_fields_too_large, "header too large")
                        : error_answer(status::bad_request, ec.message());
  if (ec == http::error::body_limit) answer = error_answer(status::payload_too_large, "body too large");
  co_return co_await write(parser.get(), std::move(answer), false);
}

Awaitable<HttpConnection::Next> HttpConnection::serve_request(RequestParser& parser) {
  auto const& request = parser.get();
  if (!is_framed_plainly(request)) {
    auto refusal = error_answer(status::bad_request, "Transfer-Encoding: expected `chunked` or none");
    co_return co_await write(request, std::move(refusal), false);
  }
  auto admission = admit(request, shared_, circumstances_);
  // A body that was not asked for is not read: the connection ends instead.
  bool const has_no_body = parser.is_done();
  if (!admission) co_return co_await write(request, std::move(admission).error(), has_no_body);
  auto const& route = *admission->route;
  if (route.kind == Route::Kind::rpc || route.kind == Route::Kind::mcp) {
    co_return co_await serve_message(parser, *admission);
  }
  if (auto protocol = capture_protocol(route.kind, request)) {
    co_return co_await serve_capture(parser, *admission, std::move(protocol));
  }
  if (route.kind == Route::Kind::page && route.role == Role::read && route.needs_store) {
    admission->where->service->state().audit.read(admission->grant, "GET", circumstances_.peer,
                                                  std::string{route.path} + std::string{admission->rest});
  }
  if (route.kind == Route::Kind::page) {
    auto page = route.page(shared_, *admission->where, admission->rest);
    if (page.body.size() > page_bytes_always && !memory_->has_room(page.body.size())) {
      page = error_answer(status::service_unavailable, no_memory_message);
      ++shared_.counts.busy_http;
      page.fields.emplace_back(field::retry_after, "1");
    }
    co_return co_await write(request, std::move(page), has_no_body);
  }
  if (route.kind == Route::Kind::bolt) {
    co_await serve_bolt(request, *admission);
  } else {
    co_await serve_websocket(request, *admission);
  }
  co_return Next::close;
}

Awaitable<HttpConnection::Next> HttpConnection::serve_message(RequestParser& parser, Admission const& admission) {
  auto const& request = parser.get();
  auto const length = parser.content_length();
  bool const is_mcp = admission.route->kind == Route::Kind::mcp;
  auto const bytes_max =
      is_mcp ? std::min(mcp::message_bytes_max, shared_.config.message_bytes_max) : shared_.config.message_bytes_max;
  if (!is_json(request)) {
    co_return co_await write(request, error_answer(status::unsupported_media_type, "expected application/json"),
                             parser.is_done());
  }
  if (!is_unencoded(request)) {
    auto refusal = error_answer(status::unsupported_media_type, "Content-Encoding: expected none");
    refusal.fields.emplace_back(field::accept_encoding, "identity");
    co_return co_await write(request, std::move(refusal), parser.is_done());
  }
  if (is_mcp) {
    if (auto refusal = check_mcp_head(request))
      co_return co_await write(request, std::move(*refusal), parser.is_done());
  }
  if (length && *length > bytes_max) {
    co_return co_await write(request, error_answer(status::payload_too_large, "body too large"), false);
  }
  parser.body_limit(bytes_max);
  auto const ec = co_await read_body(parser);
  if (ec == boost::system::errc::not_enough_memory) {
    auto refusal = error_answer(status::service_unavailable, no_memory_message);
    refusal.fields.emplace_back(field::retry_after, "1");
    co_return co_await write(request, std::move(refusal), false);
  }
  if (ec) co_return co_await refuse_broken(parser, ec);
  HttpAnswer answer;
  if (is_mcp) {
    auto const call =
        std::make_shared<McpCall>(stream_, *admission.where, admission.grant, circumstances_.peer, memory_);
    running_ = call;
    answer = co_await call->run(request.body(), mcp_frame_of(request));
  } else {
    auto const call = std::make_shared<RpcCall>(stream_, shared_, *admission.where, admission.grant,
                                                circumstances_.peer, memory_, trace_of(request));
    running_ = call;
    answer = co_await call->run(request.body());
  }
  running_.reset();
  incoming_.set(0);
  co_return co_await write(request, std::move(answer), true);
}

Awaitable<error_code> HttpConnection::read_body(RequestParser& parser) {
  allow_for(shared_.config.body_timeout);
  bool const is_asking = boost::beast::iequals(parser.get()[field::expect], "100-continue");
  if (is_asking) stream_->append("HTTP/1.1 100 Continue\r\n\r\n");
  is_reading_ = true;
  auto const ec = co_await reader_.read_body(parser, incoming_);
  is_reading_ = false;
  if (!ec) stream_->set_deadline(Moment::max());  // the evaluation has limits of its own
  co_return ec;
}

Awaitable<HttpConnection::Next> HttpConnection::serve_capture(RequestParser& parser, Admission const& admission,
                                                              std::shared_ptr<CaptureProtocol const> protocol) {
  auto& request = parser.get();
  auto const length = parser.content_length();
  auto const coding = request[field::content_encoding];
  auto const& route = *admission.route;
  if (auto const refused = check_right(admission.grant, route.right, route.role, admission.where->now())) {
    admission.where->service->state().audit.refused(admission.grant, route.path, circumstances_.peer,
                                                    name_of(refused->code));
    auto refusal = protocol->refusal(status::forbidden, refused->message, false);
    co_return co_await write(request, std::move(refusal), parser.is_done());
  }
  if (!is_json(request) && !(protocol->has_protobuf() && has_type(request, protobuf_type))) {
    auto refusal = error_answer(status::unsupported_media_type, protocol->media_types());
    co_return co_await write(request, std::move(refusal), parser.is_done());
  }
  if (request.count(field::content_encoding) > 1 || !is_known_coding({coding.data(), coding.size()})) {
    auto refusal =
        protocol->refusal(status::unsupported_media_type, "Content-Encoding: expected gzip, zstd or none", false);
    refusal.fields.emplace_back(field::accept_encoding, "gzip, zstd, identity");
    co_return co_await write(request, std::move(refusal), parser.is_done());
  }
  if (length && *length > capture::body_bytes_max) {
    auto refusal = protocol->refusal(status::payload_too_large, "the body has more than 67108864 bytes", false);
    co_return co_await write(request, std::move(refusal), false);
  }
  parser.body_limit(capture::body_bytes_max);
  auto const ec = co_await read_body(parser);
  if (ec == boost::system::errc::not_enough_memory) {
    auto refusal = protocol->refusal(status::service_unavailable, no_memory_message, true);
    co_return co_await write(request, std::move(refusal), false);
  }
  if (ec) co_return co_await refuse_broken(parser, ec);
  auto const call = std::make_shared<CaptureCall>(stream_, *admission.where, admission.grant.name, std::move(protocol),
                                                  std::string(coding), client_of(admission.grant, circumstances_.peer));
  running_ = call;
  auto answer = co_await call->run(std::move(request.body()), memory_);
  running_.reset();
  incoming_.set(0);
  co_return co_await write(request, std::move(answer), true);
}

Awaitable<HttpConnection::Next> HttpConnection::write(HttpRequest const& request, HttpAnswer answer,
                                                      bool may_keep_alive) {
  bool const is_call = request.method() == http::verb::post;
  if (is_call && answer.status == status::service_unavailable && !shared_.is_draining) ++shared_.counts.busy_http;
  if (answer.file.empty()) {
    http::response<http::string_body> response{answer.status, request.version()};
    choose_encoding(request, answer, response);
    response.body() = std::move(answer.body);
    co_return co_await send(request, answer, response, may_keep_alive);
  }
  http::response<http::file_body> response{answer.status, request.version()};
  error_code failed;
  response.body().open(answer.file.c_str(), boost::beast::file_mode::scan, failed);
  if (failed) {  // it went away since it was looked up
    HttpAnswer gone = error_answer(status::not_found, "the file is gone");
    co_return co_await write(request, std::move(gone), may_keep_alive);
  }
  co_return co_await send(request, answer, response, may_keep_alive);
}

template <class Body>
Awaitable<HttpConnection::Next> HttpConnection::send(HttpRequest const& request, HttpAnswer& answer,
                                                     http::response<Body>& response, bool may_keep_alive) {
  add_cors_fields(request, answer);
  response.set(field::server, "whence/" + std::string{version()});
  response.set(field::date, http_date(std::chrono::system_clock::now()));
  response.set("X-Content-Type-Options", "nosniff");
  if (answer.status != status::no_content) response.set(field::content_type, answer.content_type);
  bool const is_last = !may_keep_alive || !request.keep_alive() || shared_.is_draining;
  response.keep_alive(!is_last);
  for (auto const& [name, value] : answer.fields) response.insert(name, value);
  if (answer.is_own_page) response.set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
  if (answer.is_foreign) {
    response.set(field::content_disposition, "attachment");
    response.set("Content-Security-Policy", "sandbox");
  }
  response.prepare_payload();
  if (answer.status == status::no_content) response.erase(field::content_length);
  allow_for(shared_.config.body_timeout);
  http::response_serializer<Body> serializer{response};
  bool const is_head = request.method() == http::verb::head;
  if (is_head || std::is_same_v<Body, http::string_body>) {
    co_await http::async_write_header(*stream_, serializer, awaited);
    if constexpr (std::is_same_v<Body, http::string_body>) {
      if (!is_head) stream_->append_whole({}, std::move(response.body()));  // not twice in memory
      while (stream_->is_open() && stream_->is_congested()) co_await stream_->async_wait(awaited);
    }
  } else {
    co_await http::async_write(*stream_, serializer, awaited);
  }
  co_return is_last || !stream_->is_open() ? Next::close : Next::request;
}

Awaitable<void> HttpConnection::serve_websocket(HttpRequest const& request, Admission const& admission) {
  reader_.give_back();
  auto const websocket =
      std::make_shared<WsConnection>(stream_, shared_, *admission.where, admission.grant, circumstances_.peer, memory_);
  upgraded_ = websocket;
  co_await websocket->run(request);
}

Awaitable<void> HttpConnection::serve_bolt(HttpRequest const& request, Admission const& admission) {
  reader_.give_back();
  bool const is_root = admission.where == &shared_.namespaces.root();
  auto const* const only = is_root ? nullptr : admission.where;
  auto const bolt =
      std::make_shared<bolt::Connection>(stream_, shared_, only, admission.claims, circumstances_.peer, memory_);
  upgraded_ = bolt;
  co_await bolt->run_websocket(request);
}

Awaitable<bool> HttpConnection::serve_bolt_bytes() {
  auto const bolt = std::make_shared<bolt::Connection>(
      stream_, shared_, nullptr, Claims{.certificate = circumstances_.certificate}, circumstances_.peer, memory_);
  upgraded_ = bolt;
  bool const is_bolt = co_await bolt->run_plain();
  if (!is_bolt) upgraded_.reset();
  co_return is_bolt;
}

void HttpConnection::allow_for(std::chrono::seconds time) {
  stream_->set_deadline(std::chrono::steady_clock::now() + time);
}

void HttpConnection::on_tick(Moment now) {
  // An answer on its way has time as long as the peer keeps taking it.
  if (!upgraded_ && stream_->queued_bytes() > 0 && stream_->take_heard()) allow_for(shared_.config.body_timeout);
  if (now >= stream_->deadline()) return run_out_of_time(now);
  if (running_ && has_left(now)) return cut();
  if (holds_up_others(now)) return cut();
  if (upgraded_) upgraded_->on_tick(now);
}

/// Whether the peer has stopped waiting for the answer. Nothing is read while a request runs, so the socket is asked. A
/// peer that has only ended its sending, as some do that read on, has a short time for its answer.
bool HttpConnection::has_left(Moment now) {
  pollfd asked = {.fd = stream_->socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&asked, 1, 0) <= 0) {
    half_closed_at_.reset();
    return false;
  }
  if ((asked.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return true;
  if (!half_closed_at_) half_closed_at_ = now;
  return now - *half_closed_at_ >= half_closed_max;
}

/// Whether the peer lets much wait and takes nothing of it, while others wait for the memory that this holds. Nothing
/// can be said to it: that would wait behind what it does not read.
bool HttpConnection::holds_up_others(Moment now) {
  bool const has_taken = std::exchange(taken_before_, stream_->taken_bytes()) != stream_->taken_bytes();
  if (has_taken || stream_->queued_bytes() < MemoryClaim::small_bytes) {
    unread_since_.reset();
    return false;
  }
  if (!unread_since_) unread_since_ = now;
  return memory_->budget().is_tight() && now - *unread_since_ >= unread_max;
}

/// Ends the connection. A peer whose request has begun first gets the reason, and has as long again to take that.
void HttpConnection::run_out_of_time(Moment now) {
  if (!is_reading_ || is_out_of_time_ || !reader_.has_begun()) return cut();
  is_out_of_time_ = true;
  stream_->set_deadline(now + BufferedStream::shut_down_max);
  error_code ignored;
  stream_->socket().shutdown(asio::socket_base::shutdown_receive, ignored);  // the reader gets an end of file
}

void HttpConnection::check_token() {
  // Its certificate is of an authority that may be trusted no more.
  if (circumstances_.certificate && authority_ != shared_.client_authority) return cut();
  if (upgraded_) upgraded_->check_token();
}

void HttpConnection::drain() {
  if (upgraded_) upgraded_->drain();
}

bool HttpConnection::is_idle() const {
  return upgraded_ ? upgraded_->is_idle() : running_ == nullptr;
}

void HttpConnection::finish() {
  is_finishing_ = true;
  if (upgraded_) return upgraded_->finish();
  if (running_) return running_->abort();
  stream_->flush();
  error_code ignored;
  stream_->socket().shutdown(asio::socket_base::shutdown_receive, ignored);
}

void HttpConnection::end() noexcept {
  if (upgraded_) upgraded_->end();
  if (running_) running_->end();
}

}  // namespace whence::net
