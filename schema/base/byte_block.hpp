#pragma once
// Sixteen bytes of text looked at together. A text without anything special in it is then read in a sixteenth of the
// steps. Compilers make loops of bytes from the plain form at -O2, so the instructions of x86-64 are written out.

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace whence::schema {

/// Answers are masks: bit i is about byte i.
class ByteBlock {
 public:
  static constexpr std::size_t size = 16;

#ifdef __SSE2__
  /// Copies `size` bytes.
  explicit ByteBlock(char const* bytes) noexcept : bytes_(_mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes))) {}

  [[nodiscard]] std::uint32_t equal_to(char byte) const noexcept {
    return mask(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(byte)));
  }
  [[nodiscard]] std::uint32_t beyond_ascii() const noexcept {
    return mask(bytes_);
  }
  /// Those that continue a character of UTF-8: 10xxxxxx, the least of all signed bytes.
  [[nodiscard]] std::uint32_t continuing() const noexcept {
    return mask(_mm_cmplt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(0xC0))));
  }
  /// Those that begin a character of four bytes: 1111xxxx.
  [[nodiscard]] std::uint32_t leading_four() const noexcept {
    return beyond_ascii() & mask(_mm_cmpgt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(0xEF))));
  }

 private:
  static std::uint32_t mask(__m128i tops) noexcept {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(tops));
  }

  __m128i bytes_;
#else
  explicit ByteBlock(char const* bytes) noexcept {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = bytes[i];
  }

  [[nodiscard]] std::uint32_t equal_to(char byte) const noexcept {
    return mask([byte](char each) { return each == byte; });
  }
  [[nodiscard]] std::uint32_t beyond_ascii() const noexcept {
    return mask([](char each) { return (static_cast<unsigned char>(each) & 0x80U) != 0; });
  }
  [[nodiscard]] std::uint32_t continuing() const noexcept {
    return mask([](char each) { return (static_cast<unsigned char>(each) & 0xC0U) == 0x80U; });
  }
  [[nodiscard]] std::uint32_t leading_four() const noexcept {
    return mask([](char each) { return static_cast<unsigned char>(each) >= 0xF0U; });
  }

 private:
  template <class Holds>
  [[nodiscard]] std::uint32_t mask(Holds const& holds) const noexcept {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= static_cast<std::uint32_t>(holds(bytes_[i])) << i;
    return bits;
  }

  char bytes_[size];
#endif
};

}  // namespace whence::schema
