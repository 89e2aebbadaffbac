// Messages out of chunks, and into them.

#include "net/bolt/chunking.hpp"

#include <algorithm>

namespace whence::net::bolt {

namespace {

constexpr std::size_t chunk_bytes_max = 0xFFFF;
constexpr std::size_t kept_message_bytes = std::size_t{64} << 10;  ///< memory of a larger message is given back

void put_size(char* at, std::size_t size) {
  at[0] = static_cast<char>(static_cast<unsigned char>(size >> 8U));
  at[1] = static_cast<char>(static_cast<unsigned char>(size));
}

}  // namespace

Dechunker::Step Dechunker::take(std::string_view& input, std::size_t bytes_max) {
  if (is_done_) {
    is_done_ = false;
    has_begun_ = false;
    message_.clear();
    if (message_.capacity() > kept_message_bytes) message_ = {};
  }
  while (!input.empty()) {
    if (chunk_left_ > 0) {
      auto const taken = std::min(chunk_left_, input.size());
      message_.append(input.substr(0, taken));
      input.remove_prefix(taken);
      chunk_left_ -= taken;
      continue;
    }
    head_ = head_ << 8U | static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    if (++head_bytes_ < 2) continue;
    std::size_t const size = head_;
    head_ = head_bytes_ = 0;
    if (size > 0) {
      if (size > bytes_max - std::min(message_.size(), bytes_max)) return Step::too_large;
      has_begun_ = true;
      chunk_left_ = size;
    } else if (has_begun_) {
      is_done_ = true;
      return Step::message;
    }
  }
  return Step::needs_more;
}

std::size_t begin_message(std::string& out) {
  auto const begin = out.size();
  out.append(2, '\0');
  return begin;
}

void end_message(std::string& out, std::size_t begin) {
  auto const size = out.size() - begin - 2;
  if (size <= chunk_bytes_max) {
    put_size(out.data() + begin, size);
  } else {
    std::string const body = out.substr(begin + 2);
    out.resize(begin);
    for (std::size_t at = 0; at < body.size(); at += chunk_bytes_max) {
      auto const piece = std::string_view{body}.substr(at, chunk_bytes_max);
      char head[2];
      put_size(head, piece.size());
      out.append(head, 2).append(piece);
    }
  }
  out.append(noop);
}

}  // namespace whence::net::bolt
