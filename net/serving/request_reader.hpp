#pragma once
// Reads HTTP/1.1 requests from a connection, and refuses what Beast's parser would accept or wait for.

#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/work/memory_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace whence::net {

/// A text that grows as it comes. Beast's own makes room for as much as the header promises.
struct ArrivingBody : boost::beast::http::string_body {
  class reader {  // NOLINT(readability-identifier-naming): Beast's name
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, std::string& body) : body_{body} {}
    void init(boost::optional<std::uint64_t> const& /*promised*/, error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(Buffers const& buffers, error_code& ec) {
      ec = {};
      auto const before = body_.size();
      for (auto const piece : boost::beast::buffers_range_ref(buffers))
        body_.append(static_cast<char const*>(piece.data()), piece.size());
      return body_.size() - before;
    }
    void finish(error_code& ec) { ec = {}; }

   private:
    std::string& body_;
  };
};

using HttpRequest = boost::beast::http::request<ArrivingBody>;
using RequestParser = boost::beast::http::request_parser<ArrivingBody>;

/// Reads the requests of one connection, one after the other. Errors are those of Beast's own reading functions.
class RequestReader {
 public:
  /// `stream` outlives the reader.
  explicit RequestReader(BufferedStream& stream);

  /// Reads a request up to the end of its header. An empty line in front of it is skipped (RFC 9112 2.2).
  [[nodiscard]] Awaitable<error_code> read_header(RequestParser& parser);

  /// Reads the rest of the request. What has come of it is counted in `held`; `no_memory` where there is no room.
  [[nodiscard]] Awaitable<error_code> read_body(RequestParser& parser, MemoryClaim& held);

  /// Whether a part of the present request has arrived.
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_ || read_ahead_.size() > 0; }

  /// Gives the bytes that were received beyond the request back to the stream. The reader is not used afterwards.
  void give_back();

 private:
  [[nodiscard]] Awaitable<error_code> read(RequestParser& parser, MemoryClaim* held);
  [[nodiscard]] Awaitable<error_code> receive();
  void skip_empty_line();

  BufferedStream& stream_;
  boost::beast::flat_buffer read_ahead_;  ///< received, not yet parsed
  bool has_begun_ = false;
};

/// Whether every reader of the header sees the body's end at the same place: no `Transfer-Encoding`, or one that is
/// exactly `chunked` (RFC 9112 6.1, 6.3). A server that skips another coding would run the body as the next request.
[[nodiscard]] bool is_framed_plainly(HttpRequest const& request);

}  // namespace whence::net
