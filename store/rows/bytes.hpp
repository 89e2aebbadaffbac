#pragma once
// Little-endian integers and varints in byte buffers: what rows, blocks and the head are written with.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::store {

using Bytes = std::vector<std::byte>;

inline constexpr std::size_t varint_bytes_max = 10;

/// Appends `value` in little-endian order.
template <std::unsigned_integral T>
void put_fixed(Bytes& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline void put_bytes(Bytes& out, std::span<std::byte const> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Writes `value` at `at`, seven bits a byte, lowest first (LEB128), and returns the end. Needs `varint_bytes_max`
/// bytes of room.
inline std::byte* write_varint(std::byte* at, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *at++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::byte>(value);
  return at;
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t code) noexcept {
  return static_cast<std::int64_t>((code >> 1) ^ (~(code & 1) + 1));
}

/// Reads from the front of untrusted bytes. Every read reports whether it succeeded and never goes past the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<std::byte const> bytes) noexcept
      : at_{bytes.data()}, end_{bytes.data() + bytes.size()} {}

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] std::span<std::byte const> rest() const noexcept { return {at_, left()}; }

  template <std::unsigned_integral T>
  [[nodiscard]] bool fixed(T& value) noexcept {
    if (left() < sizeof(T)) return false;
    value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(at_[i]) << (8 * i)));
    at_ += sizeof(T);
    return true;
  }

  [[nodiscard]] bool bytes(std::size_t count, std::span<std::byte const>& out) noexcept {
    if (left() < count) return false;
    out = {at_, count};
    at_ += count;
    return true;
  }

  /// Only the shortest form of a number that fits 64 bits is taken, so that equal values have one spelling.
  [[nodiscard]] bool varint(std::uint64_t& value) noexcept {
    if (at_ == end_) return false;
    auto first = static_cast<std::uint64_t>(*at_);
    if (first < 0x80) {
      ++at_;
      value = first;
      return true;
    }
    return long_varint(value);
  }

 private:
  bool long_varint(std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      auto const byte = static_cast<std::uint64_t>(*at_++);
      if (shift == 63 && byte > 1) return false;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return byte != 0;
    }
    return false;
  }

  std::byte const* at_;
  std::byte const* end_;
};

}  // namespace whence::store
