// Most of what is read is ASCII, so that goes sixteen characters at a time.
#include "schema/xml/parser/utf16.hpp"

#include <algorithm>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace whence::schema::xml {
namespace {

constexpr std::size_t block = 16;
constexpr std::size_t bytes_a_unit_max = 3;  ///< two units make four bytes

/// Copies a block to `out` if all of it is ASCII; whether it is. The instructions are written out because compilers
/// make a loop of bytes from the plain form at -O2.
#ifdef __SSE2__
bool copy_ascii_block(char16_t const* units, char* out) noexcept {
  __m128i const low = _mm_loadu_si128(reinterpret_cast<__m128i const*>(units));
  __m128i const high = _mm_loadu_si128(reinterpret_cast<__m128i const*>(units + block / 2));
  __m128i const wide = _mm_and_si128(_mm_or_si128(low, high), _mm_set1_epi16(static_cast<short>(0xFF80)));
  if (_mm_movemask_epi8(_mm_cmpeq_epi16(wide, _mm_setzero_si128())) != 0xFFFF) return false;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(low, high));
  return true;
}
#else
bool copy_ascii_block(char16_t const* units, char* out) noexcept {
  unsigned all = 0;
  for (std::size_t i = 0; i < block; ++i) all |= units[i];
  if (all >= 0x80) return false;
  for (std::size_t i = 0; i < block; ++i) out[i] = static_cast<char>(units[i]);
  return true;
}
#endif

/// Copies ASCII from the front of `units` to `out`, which has room for all of them; how much.
std::size_t copy_ascii(std::u16string_view units, char* out) noexcept {
  std::size_t at = 0;
  while (units.size() - at >= block && copy_ascii_block(units.data() + at, out + at)) at += block;
  // What is left is less than a block, mostly: the last block of all then overlaps the one before.
  std::size_t const rest = units.size() - at;
  if (at > 0 && rest < block) {
    std::size_t const last = units.size() - block;
    if (copy_ascii_block(units.data() + last, out + last)) return units.size();
  }
  while (at < units.size() && units[at] < 0x80) {
    out[at] = static_cast<char>(units[at]);
    ++at;
  }
  return at;
}

constexpr bool is_high(char16_t unit) noexcept {
  return (unit & 0xFC00U) == 0xD800U;
}

char tail(std::uint32_t point, unsigned shift) noexcept {
  return static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
}

}  // namespace

void Utf8Text::append(std::u16string_view piece) {
  // Room for the worst case first, so that nothing below asks again.
  std::size_t const needed = size_ + bytes_a_unit_max * piece.size() + bytes_a_unit_max;
  if (room_.size() < needed) room_.resize(std::max(needed, 2 * room_.size()));
  char* out = room_.data() + size_;
  while (!piece.empty()) {
    std::size_t const copied = copy_ascii(piece, out);
    out += copied;
    characters_ += copied;
    piece.remove_prefix(copied);
    while (!piece.empty() && piece.front() >= 0x80) {
      out = append_wide(piece.front(), out);
      piece.remove_prefix(1);
    }
  }
  size_ = static_cast<std::size_t>(out - room_.data());
}

char* Utf8Text::append_wide(char16_t unit, char* out) noexcept {
  if (is_high(unit)) {
    high_ = unit;
    return out;
  }
  std::uint32_t point = unit;
  if (high_ != 0) {
    point = 0x10000U + ((high_ & 0x3FFU) << 10U) + (unit & 0x3FFU);
    high_ = 0;
  }
  ++characters_;
  if (point < 0x800) {
    *out++ = static_cast<char>(0xC0U | (point >> 6U));
  } else if (point < 0x10000) {
    *out++ = static_cast<char>(0xE0U | (point >> 12U));
    *out++ = tail(point, 6);
  } else {
    *out++ = static_cast<char>(0xF0U | (point >> 18U));
    *out++ = tail(point, 12);
    *out++ = tail(point, 6);
  }
  *out++ = tail(point, 0);
  return out;
}

std::size_t utf8_size(std::u16string_view text) noexcept {
  std::size_t size = 0;
  for (char16_t const unit : text) {
    bool const is_half = (unit & 0xF800U) == 0xD800U;  // two halves make four bytes
    size += unit < 0x80 ? 1 : unit < 0x800 || is_half ? 2 : 3;
  }
  return size;
}

std::string to_utf8(std::u16string_view text) {
  Utf8Text result;
  result.append(text);
  return std::string{result.bytes()};
}

}  // namespace whence::schema::xml
