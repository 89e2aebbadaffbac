#pragma once
// An answer of a page, before the connection writes it.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>

namespace whence::net {

/// An answer before it is written: the connection adds what every answer has.
struct HttpAnswer {
  boost::beast::http::status status = boost::beast::http::status::ok;
  std::string body = {};
  /// Sent instead of the body, in parts of 64 KiB read on the I/O thread: files of exports were just written, so they
  /// come from memory; empty: none.
  std::filesystem::path file = {};
  std::string content_type = "application/json";
  std::vector<std::pair<boost::beast::http::field, std::string>> fields = {};
  std::string gzipped = {};  ///< the body compressed, for clients that accept it; may be empty
  bool is_own_page = false;  ///< the explorer: a browser may run it, and load nothing for it from elsewhere
  bool is_foreign = false;   ///< a client's bytes: headers make browsers save them and never run them as a page
};

/// `{"error":…}` with a status.
[[nodiscard]] HttpAnswer error_answer(boost::beast::http::status status, std::string_view message);

}  // namespace whence::net
