// Frames of a client: the usual one at once, any other one byte after the other.

#include "net/stream/frame.hpp"

#include <algorithm>
#include <cstring>

namespace whence::net {

namespace {

constexpr std::size_t mask_bytes = 4;
constexpr std::uint8_t mask_bit = 0x80;
constexpr std::uint8_t length_16 = 126;  ///< two bytes of length follow
constexpr std::uint8_t length_64 = 127;  ///< eight

std::uint8_t byte_of(std::string_view bytes, std::size_t place) noexcept {
  return static_cast<std::uint8_t>(bytes[place]);
}

}  // namespace

void TextFrame::unmask(std::string& out) const {
  out.assign(payload);
  std::uint32_t key = 0;
  std::memcpy(&key, mask.data(), mask_bytes);
  if (key == 0) return;
  std::uint64_t const wide_key = std::uint64_t{key} << 32 | key;
  std::size_t place = 0;
  for (; out.size() - place >= sizeof wide_key; place += sizeof wide_key) {
    std::uint64_t word = 0;
    std::memcpy(&word, out.data() + place, sizeof word);
    word ^= wide_key;
    std::memcpy(out.data() + place, &word, sizeof word);
  }
  for (; place < out.size(); ++place) out[place] = static_cast<char>(out[place] ^ mask[place % mask_bytes]);
}

std::optional<TextFrame> find_text_frame(std::string_view received) noexcept {
  constexpr std::uint8_t whole_text = 0x80 | static_cast<std::uint8_t>(Opcode::text);
  if (received.size() < 2 + mask_bytes || byte_of(received, 0) != whole_text) return std::nullopt;
  std::size_t length = byte_of(received, 1) ^ mask_bit;  // beyond 127 where it is not masked
  std::size_t head = 2 + mask_bytes;
  if (length == length_16) {
    head += 2;
    length = std::size_t{byte_of(received, 2)} << 8 | byte_of(received, 3);
    if (length < length_16) return std::nullopt;  // to be refused: it fits in the short form
  } else if (length >= length_64) {
    return std::nullopt;
  }
  if (received.size() < head + length) return std::nullopt;
  return TextFrame{.mask = received.substr(head - mask_bytes, mask_bytes),
                   .payload = received.substr(head, length),
                   .bytes = head + length};
}

std::size_t FrameBounds::take(std::string_view bytes) noexcept {
  std::size_t taken = 0;
  while (!is_in_payload_ && taken < bytes.size()) {
    head_[head_bytes_++] = byte_of(bytes, taken++);
    if (head_bytes_ == head_size()) end_head();
    if (is_between()) return taken;
  }
  std::size_t const payload = std::min<std::uint64_t>(bytes.size() - taken, payload_left_);
  if (payload > 0) skip(payload);
  return taken + payload;
}

void FrameBounds::skip(std::size_t bytes) noexcept {
  payload_left_ -= std::min<std::uint64_t>(bytes, payload_left_);
  if (payload_left_ > 0 || !is_in_payload_) return;
  is_in_payload_ = false;
  head_bytes_ = 0;
}

std::size_t FrameBounds::head_size() const noexcept {
  if (head_bytes_ < 2) return 2;
  std::uint8_t const length = head_[1] & ~mask_bit;
  std::size_t const mask = (head_[1] & mask_bit) != 0 ? mask_bytes : 0;
  return 2 + mask + (length == length_16 ? 2U : length == length_64 ? 8U : 0U);
}

void FrameBounds::end_head() noexcept {
  std::uint8_t const length = head_[1] & ~mask_bit;
  payload_left_ = length;
  if (length >= length_16) {
    payload_left_ = 0;
    std::size_t const end = length == length_16 ? 4 : 10;
    for (std::size_t i = 2; i < end; ++i) payload_left_ = payload_left_ << 8 | head_[i];
  }
  is_in_payload_ = true;
  skip(0);
}

}  // namespace whence::net
