// An HTTP client for large answers.

#include "tools/cli/transport/download.hpp"

#include "tools/cli/transport/dial_stream.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace whence::tools {
namespace {

namespace http = boost::beast::http;
using boost::system::system_error;

constexpr std::size_t download_bytes = std::size_t{1} << 16;

using Parser = http::response_parser<http::buffer_body>;

/// The next piece of the body; empty at its end.
std::string_view read_piece(DialStream& stream, boost::beast::flat_buffer& buffer, Parser& parser,
                            std::array<char, download_bytes>& piece) {
  if (parser.is_done()) return {};
  auto& body = parser.get().body();
  body.data = piece.data();
  body.size = piece.size();
  try {
    stream.finish([&](auto token) { return http::async_read(stream, buffer, parser, token); });
  } catch (system_error const& failed) {
    if (failed.code() != http::error::need_buffer) throw;
  }
  return {piece.data(), piece.size() - body.size};
}

}  // namespace

CallResult<void> download(DialConfig const& server, std::string const& target, std::atomic<bool> const& is_stopped,
                          std::function<void(std::string_view)> const& take) {
  http::request<http::empty_body> request{http::verb::get, server.url.path + target, 11};
  request.set(http::field::host, authority_of(server.url));
  if (!server.token.empty()) request.set(http::field::authorization, "Bearer " + server.token);
  request.keep_alive(false);
  try {
    OperationLoop loop;
    DialStream stream(loop, server);
    stream.open();
    stream.finish([&](auto token) { return http::async_write(stream, request, token); });
    boost::beast::flat_buffer buffer;
    Parser parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    stream.finish([&](auto token) { return http::async_read_header(stream, buffer, parser, token); });
    std::array<char, download_bytes> piece;
    bool const is_ok = parser.get().result() == http::status::ok;
    std::string refusal;
    for (auto bytes = read_piece(stream, buffer, parser, piece); !bytes.empty() || !parser.is_done();
         bytes = read_piece(stream, buffer, parser, piece)) {
      if (is_stopped) return CallError{.exit = ExitCode::failure, .message = "stopped"};
      is_ok ? take(bytes) : static_cast<void>(refusal.append(bytes));
    }
    if (!is_ok) return refused(server, parser.get().result_int(), refusal);
    return {};
  } catch (system_error const& failed) {
    return not_connected(server.url, failed, "");
  }
}

}  // namespace whence::tools
