// A context of its own for each request: no step of it can outlast the
// patience.

#include "net/tracing/post.hpp"

#include "net/base/version.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace whence::net {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using tcp = boost::asio::ip::tcp;

constexpr std::chrono::milliseconds look_interval{100};  // for the wish to stop
constexpr std::uint64_t answer_bytes_max = std::uint64_t{64} << 10;

/// The steps, each begun by the one before. Lives until its context has run
/// out.
class Post {
 public:
  Post(PostTarget const& target, std::string body) : target_{target} {
    request_.method(http::verb::post);
    request_.target(target.path);
    request_.version(11);
    bool const is_literal = target.host.find(':') != std::string::npos;
    request_.set(http::field::host,
                 (is_literal ? "[" + target.host + "]" : target.host) + ":" + std::to_string(target.port));
    request_.set(http::field::content_type, "application/json");
    request_.set(http::field::user_agent, "whence/" + std::string{version()});
    request_.keep_alive(false);
    request_.body() = std::move(body);
    request_.prepare_payload();
    parser_.body_limit(answer_bytes_max);
  }

  std::string run(std::stop_token const& stop) {
    resolver_.async_resolve(target_.host, std::to_string(target_.port), [this](error_code ec, auto const& found) {
      if (!ec) connect(found);
      failed_ = ec;
    });
    auto end = std::chrono::steady_clock::now() + target_.patience;
    bool is_ending = false;
    while (!io_.stopped() && std::chrono::steady_clock::now() < end) {
      io_.run_one_for(look_interval);
      if (is_ending || !stop.stop_requested()) continue;
      is_ending = true;
      end = std::min(end, std::chrono::steady_clock::now() + target_.last_patience);
    }
    if (!io_.stopped()) return "it did not answer in time";
    if (failed_) return failed_.message();
    auto const status = parser_.get().result_int();
    return status >= 200 && status < 300 ? std::string{} : "HTTP " + std::to_string(status);
  }

 private:
  void connect(tcp::resolver::results_type const& found) {
    stream_.async_connect(found, [this](error_code ec, tcp::endpoint const&) {
      if (ec) return static_cast<void>(failed_ = ec);
      write();
    });
  }
  void write() {
    http::async_write(stream_, request_, [this](error_code ec, std::size_t) {
      if (ec) return static_cast<void>(failed_ = ec);
      read();
    });
  }
  void read() {
    http::async_read(stream_, buffer_, parser_, [this](error_code ec, std::size_t) { failed_ = ec; });
  }

  PostTarget const& target_;
  boost::asio::io_context io_{1};
  tcp::resolver resolver_{io_};
  beast::tcp_stream stream_{io_};
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  error_code failed_;
};

}  // namespace

std::string post_json(PostTarget const& target, std::string body, std::stop_token const& stop) {
  Post post{target, std::move(body)};
  return post.run(stop);
}

}  // namespace whence::net
