// Beast's deflate, one message at a time.

#include "net/stream/deflate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include <boost/beast/zlib/deflate_stream.hpp>

namespace whence::net {

namespace {

namespace zlib = boost::beast::zlib;

constexpr int level =
    1;  // JSON shrinks to a third; the best level makes it a tenth smaller and takes four times longer
constexpr int memory_level = 8;
constexpr std::size_t sync_mark_bytes = 4;  ///< 00 00 ff ff, which the peer adds again (RFC 7692 7.2.1)
constexpr std::size_t sync_room = 16;       ///< for what flushing adds
constexpr std::string_view extension_name = "permessage-deflate";
constexpr std::string_view window_name = "server_max_window_bits=";

/// A compressor that is made ready again for each message.
class Deflater {
 public:
  /// For a message that refers to nothing before it.
  zlib::deflate_stream& prepare(int window_bits) {
    if (window_bits == window_bits_) {
      stream_.reset();
    } else {
      stream_.reset(level, window_bits, memory_level, zlib::Strategy::normal);
      window_bits_ = window_bits;
    }
    return stream_;
  }

 private:
  zlib::deflate_stream stream_;
  int window_bits_ = 0;
};

/// What is before the next separator, which goes with it.
std::string_view cut_part(std::string_view& text, char separator) noexcept {
  auto const end = text.find(separator);
  auto const part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view spaces = " \t";
  auto const begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

/// RFC 7692: each parameter once; a window has 8 to 15 bits, the client's may be left to the server.
bool is_valid_offer(std::string_view offer) noexcept {
  if (without_blanks(cut_part(offer, ';')) != extension_name) return false;
  constexpr std::array<std::string_view, 4> known{"server_no_context_takeover", "client_no_context_takeover",
                                                  "server_max_window_bits", "client_max_window_bits"};
  std::array<bool, known.size()> seen{};
  while (!offer.empty()) {
    auto part = cut_part(offer, ';');
    auto const name = without_blanks(cut_part(part, '='));
    auto const at = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    if (at == known.size() || std::exchange(seen[at], true)) return false;
    auto value = without_blanks(part);
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    bool const is_bits =
        value == "8" || value == "9" || (value.size() == 2 && value[0] == '1' && value[1] <= '5' && value[1] >= '0');
    bool const is_right = at < 2 ? value.empty() : at == 2 ? is_bits : is_bits || value.empty();
    if (!is_right) return false;
  }
  return true;
}

}  // namespace

bool deflate_message(std::string_view message, int window_bits, std::string& out) {
  if (message.size() < deflated_bytes_min || message.size() > deflated_bytes_max) return false;
  thread_local Deflater deflater;
  auto const before = out.size();
  out.resize(before + zlib::deflate_upper_bound(message.size()) + sync_room);
  zlib::z_params state;
  state.next_in = message.data();
  state.avail_in = message.size();
  state.next_out = out.data() + before;
  state.avail_out = out.size() - before;
  boost::system::error_code ec;
  deflater.prepare(window_bits).write(state, zlib::Flush::sync, ec);
  bool const is_complete = !ec && state.avail_in == 0 && state.avail_out > 0 && state.total_out > sync_mark_bytes;
  bool const is_shorter = is_complete && state.total_out - sync_mark_bytes < message.size();
  out.resize(is_shorter ? before + state.total_out - sync_mark_bytes : before);
  return is_shorter;
}

std::string_view find_valid_offer(std::string_view offers) noexcept {
  while (!offers.empty()) {
    auto const offer = without_blanks(cut_part(offers, ','));
    if (is_valid_offer(offer)) return offer;
  }
  return {};
}

int deflate_window_bits(std::string_view extensions) noexcept {
  constexpr int bits_max = 15;
  if (extensions.find(extension_name) == std::string_view::npos) return 0;
  auto const at = extensions.find(window_name);
  if (at == std::string_view::npos) return bits_max;
  int bits = bits_max;
  std::from_chars(extensions.data() + at + window_name.size(), extensions.data() + extensions.size(), bits);
  return bits;
}

std::string with_named_window(std::string_view offers, std::string_view answer) {
  std::string whole{answer};
  bool const is_named = answer.find(window_name) != std::string_view::npos;
  if (is_named || answer.find(extension_name) == std::string_view::npos) return whole;
  auto const first = offers.substr(std::min(offers.find(extension_name), offers.size()));  // the one that Beast takes
  auto const asked = first.substr(0, first.find(','));
  if (asked.find(window_name) != std::string_view::npos) whole.append("; ").append(window_name).append("15");
  return whole;
}

}  // namespace whence::net
