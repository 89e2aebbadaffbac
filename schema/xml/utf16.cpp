// Most of what is read is ASCII, so that goes sixteen characters at a time.
#include "schema/xml/utf16.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace whence::schema::xml {
namespace {

constexpr std::size_t block = 16;
constexpr std::size_t unit_bytes = sizeof(char16_t);
constexpr std::size_t bytes_a_unit_max = 3;  ///< two units make four bytes

// Both turn a block to the other form and return how much of its front is ASCII: behind that, `out` holds anything.
#ifdef __SSE2__
std::size_t narrow_block(char16_t const* units, char* out) noexcept {
  __m128i const low = _mm_loadu_si128(reinterpret_cast<__m128i const*>(units));
  __m128i const high = _mm_loadu_si128(reinterpret_cast<__m128i const*>(units + block / 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(low, high));
  __m128i const beyond = _mm_set1_epi16(static_cast<short>(0xFF80));
  __m128i const zero = _mm_setzero_si128();
  __m128i const ascii = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(low, beyond), zero),
                                        _mm_cmpeq_epi16(_mm_and_si128(high, beyond), zero));
  return static_cast<std::size_t>(std::countr_one(static_cast<std::uint16_t>(_mm_movemask_epi8(ascii))));
}

std::size_t widen_block(char const* bytes, unsigned char* out) noexcept {
  __m128i const all = _mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes));
  __m128i const zero = _mm_setzero_si128();
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi8(all, zero));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + block), _mm_unpackhi_epi8(all, zero));
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint16_t>(_mm_movemask_epi8(all))));
}
#else
std::size_t narrow_block(char16_t const* units, char* out) noexcept {
  std::size_t at = 0;
  for (; at < block && units[at] < 0x80; ++at) out[at] = static_cast<char>(units[at]);
  return at;
}

std::size_t widen_block(char const* bytes, unsigned char* out) noexcept {
  std::size_t at = 0;
  for (; at < block && static_cast<unsigned char>(bytes[at]) < 0x80; ++at) {
    auto const unit = static_cast<char16_t>(bytes[at]);
    std::memcpy(out + at * unit_bytes, &unit, unit_bytes);
  }
  return at;
}
#endif

/// Copies ASCII from the front of `units` to `out`, which has room for all of them; how much.
std::size_t copy_ascii(std::u16string_view units, char* out) noexcept {
  std::size_t at = 0;
  while (units.size() - at >= block) {
    std::size_t const copied = narrow_block(units.data() + at, out + at);
    at += copied;
    if (copied < block) return at;
  }
  while (at < units.size() && units[at] < 0x80) {
    out[at] = static_cast<char>(units[at]);
    ++at;
  }
  return at;
}

constexpr bool is_ascii(char byte) noexcept {
  return static_cast<unsigned char>(byte) < 0x80;
}

/// Widens ASCII from the front of `bytes` to `out`, which has room for all of them; how much.
std::size_t widen_ascii(std::string_view bytes, unsigned char* out) noexcept {
  std::size_t at = 0;
  while (bytes.size() - at >= block) {
    std::size_t const widened = widen_block(bytes.data() + at, out + at * unit_bytes);
    at += widened;
    if (widened < block) return at;
  }
  for (; at < bytes.size() && is_ascii(bytes[at]); ++at) {
    auto const unit = static_cast<char16_t>(bytes[at]);
    std::memcpy(out + at * unit_bytes, &unit, unit_bytes);
  }
  return at;
}

/// The character at the front of well-formed UTF-8.
struct Character {
  std::uint32_t point;
  std::size_t bytes;
};

Character first_of(char const* text) noexcept {
  auto const byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  auto const tail = [&byte](std::size_t i) { return byte(i) & 0x3FU; };
  std::uint32_t const lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1FU) << 6U | tail(1), 2};
  if (lead < 0xF0) return {(lead & 0x0FU) << 12U | tail(1) << 6U | tail(2), 3};
  return {(lead & 0x07U) << 18U | tail(1) << 12U | tail(2) << 6U | tail(3), 4};
}

/// The units of a character: one, or two halves.
struct Units {
  std::array<char16_t, 2> all;
  std::size_t count;
};

Units units_of(std::uint32_t point) noexcept {
  if (point < 0x10000) return {{static_cast<char16_t>(point), 0}, 1};
  std::uint32_t const rest = point - 0x10000U;
  return {{static_cast<char16_t>(0xD800U + (rest >> 10U)), static_cast<char16_t>(0xDC00U + (rest & 0x3FFU))}, 2};
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

Widened widen(std::string_view text, unsigned char* out, std::size_t units_max) noexcept {
  Widened done{.bytes = 0, .units = 0};
  while (done.bytes < text.size() && done.units < units_max) {
    std::string_view const rest = text.substr(done.bytes);
    std::size_t const ascii = widen_ascii(rest.substr(0, units_max - done.units), out + done.units * unit_bytes);
    done = {.bytes = done.bytes + ascii, .units = done.units + ascii};
    while (done.bytes < text.size() && !is_ascii(text[done.bytes])) {
      Character const character = first_of(text.data() + done.bytes);
      Units const units = units_of(character.point);
      if (units.count > units_max - done.units) return done;
      std::memcpy(out + done.units * unit_bytes, units.all.data(), units.count * unit_bytes);
      done = {.bytes = done.bytes + character.bytes, .units = done.units + units.count};
    }
  }
  return done;
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
