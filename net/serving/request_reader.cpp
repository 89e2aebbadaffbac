// Feeds Beast's parser, and looks at what it has not taken yet.

#include "net/serving/request_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <boost/asio/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

namespace whence::net {

namespace {

namespace http = boost::beast::http;

constexpr std::size_t read_ahead_bytes_max = std::size_t{32} << 10;
constexpr std::size_t receive_bytes = std::size_t{8} << 10;

std::string_view view(boost::beast::flat_buffer const& buffer) noexcept {
  auto const data = buffer.cdata();
  return {static_cast<char const*>(data.data()), data.size()};
}

/// The parser ends lines at CR LF only, and takes a line that ends in LF for one that is not complete yet. It would
/// wait for the rest until the time is over.
bool has_bare_line_feed(std::string_view unparsed) noexcept {
  for (auto at = unparsed.find('\n'); at != std::string_view::npos; at = unparsed.find('\n', at + 1)) {
    if (at == 0 || unparsed[at - 1] != '\r') return true;
  }
  return false;
}

}  // namespace

RequestReader::RequestReader(BufferedStream& stream) : stream_{stream}, read_ahead_{read_ahead_bytes_max} {}

Awaitable<error_code> RequestReader::read_header(RequestParser& parser) {
  has_begun_ = false;
  parser.eager(false);
  while (read_ahead_.size() < 2) {  // enough to see an empty line
    auto const ec = co_await receive();
    if (ec == asio::error::eof && read_ahead_.size() == 0) co_return make_error_code(http::error::end_of_stream);
    if (ec == asio::error::eof) co_return make_error_code(http::error::partial_message);
    if (ec) co_return ec;
  }
  skip_empty_line();
  co_return co_await read(parser, nullptr);
}

Awaitable<error_code> RequestReader::read_body(RequestParser& parser, MemoryClaim& held) {
  parser.eager(true);
  co_return co_await read(parser, &held);
}

/// The header, or where `held` is given the body.
Awaitable<error_code> RequestReader::read(RequestParser& parser, MemoryClaim* held) {
  bool const is_header = held == nullptr;
  auto const is_done = [&] { return is_header ? parser.is_header_done() : parser.is_done(); };
  while (!is_done()) {
    error_code ec = http::error::need_more;
    if (read_ahead_.size() > 0) {
      has_begun_ = true;
      read_ahead_.consume(parser.put(read_ahead_.data(), ec));
      // A promise of much holds nothing: only what has come is counted.
      if (!is_header && !held->try_set(parser.get().body().capacity()))
        co_return make_error_code(boost::system::errc::not_enough_memory);
    }
    if (is_done()) break;
    if (!ec && read_ahead_.size() > 0) continue;
    if (ec && ec != http::error::need_more) co_return ec;
    // Body bytes are all taken, so what is left is a line that the parser wants more of.
    if (has_bare_line_feed(view(read_ahead_))) {
      co_return make_error_code(is_header ? http::error::bad_line_ending : http::error::bad_chunk);
    }
    auto const failed = co_await receive();
    if (failed == asio::error::eof) co_return make_error_code(http::error::partial_message);
    if (failed) co_return failed;
  }
  co_return error_code{};
}

Awaitable<error_code> RequestReader::receive() {
  auto const room = read_ahead_.max_size() - read_ahead_.size();
  if (room == 0) co_return make_error_code(http::error::buffer_overflow);
  auto const piece = read_ahead_.prepare(std::min(room, receive_bytes));
  auto const [ec, bytes] = co_await stream_.async_read_some(piece, awaited);
  read_ahead_.commit(bytes);
  co_return ec;
}

void RequestReader::skip_empty_line() {
  if (view(read_ahead_).starts_with("\r\n")) read_ahead_.consume(2);
}

void RequestReader::give_back() {
  stream_.unread(view(read_ahead_));
  read_ahead_ = {};
}

bool is_framed_plainly(HttpRequest const& request) {
  auto const codings = request.count(http::field::transfer_encoding);
  if (codings == 0) return true;
  return codings == 1 && boost::beast::iequals(request[http::field::transfer_encoding], "chunked");
}

}  // namespace whence::net
