// UTF-8 by the table of well-formed byte sequences (Unicode 15, table 3-7), with a fast path for ASCII.
#include "schema/base/text.hpp"

#include "schema/base/byte_block.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/encoding/code_points.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace whence::schema {
namespace {

/// The bytes allowed after one lead byte; `length` 0 marks a byte that leads nothing.
struct Sequence {
  std::size_t length;
  unsigned char second_min;
  unsigned char second_max;
};

constexpr Sequence sequence_of(unsigned char lead) noexcept {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};  // shorter forms exist below
  if (lead == 0xED) return {3, 0x80, 0x9F};  // surrogates lie above
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};  // U+10FFFF is the last
  return {0, 0, 0};
}

/// Length of the well-formed sequence at `at`, 0 where there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  Sequence const sequence = sequence_of(byte(0));
  if (sequence.length <= 1) return sequence.length;
  if (text.size() - at < sequence.length) return 0;
  if (byte(1) < sequence.second_min || byte(1) > sequence.second_max) return 0;
  for (std::size_t i = 2; i < sequence.length; ++i) {
    if (!is_continuation(text[at + i])) return 0;
  }
  return sequence.length;
}

/// Bytes from `at` on that begin a well-formed sequence but do not end it, at least 1: what one U+FFFD replaces.
std::size_t ill_formed_length(std::string_view text, std::size_t at) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  Sequence const sequence = sequence_of(byte(0));
  std::size_t const end = std::min(sequence.length, text.size() - at);
  if (end < 2 || byte(1) < sequence.second_min || byte(1) > sequence.second_max) return 1;
  std::size_t length = 2;
  while (length < end && is_continuation(text[at + length])) ++length;
  return length;
}

/// Bytes from `at` on that are ASCII; the last few of the text are left to the caller.
std::size_t ascii_run(std::string_view text, std::size_t at) noexcept {
  std::size_t const start = at;
  for (; text.size() - at >= ByteBlock::size; at += ByteBlock::size) {
    auto const beyond = ByteBlock(text.data() + at).beyond_ascii();
    if (beyond != 0) return at - start + static_cast<std::size_t>(std::countr_zero(beyond));
  }
  return at - start;
}

/// White space in UTF-8, as Python's `str.strip` understands it.
constexpr std::string_view white_spaces[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

/// Bytes of the white space character at one end; 0 where there is none.
std::size_t white_space_at_front(std::string_view text) noexcept {
  for (auto const each : white_spaces) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}
std::size_t white_space_at_back(std::string_view text) noexcept {
  for (auto const each : white_spaces) {
    if (text.ends_with(each)) return each.size();
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = ascii_run(text, 0); at < text.size();) {
    std::size_t const length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
    if (length == 1) at += ascii_run(text, at);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string result;
  std::size_t kept = 0;  // bytes of `text` before it are in `result`
  for (std::size_t at = 0; at < text.size();) {
    at += ascii_run(text, at);
    if (at == text.size()) break;
    std::size_t const length = sequence_length(text, at);
    if (length > 0) {
      at += length;
      continue;
    }
    result.append(text.substr(kept, at - kept)).append("\xEF\xBF\xBD");
    at += ill_formed_length(text, at);
    kept = at;
  }
  return result.append(text.substr(kept));
}

std::size_t code_points(std::string_view text) noexcept {
  std::size_t count = text.size();
  std::size_t at = 0;
  for (; text.size() - at >= ByteBlock::size; at += ByteBlock::size) {
    auto const continuing = ByteBlock(text.data() + at).continuing();
    if (continuing != 0) count -= static_cast<std::size_t>(std::popcount(continuing));
  }
  for (; at < text.size(); ++at) count -= is_continuation(text[at]) ? 1 : 0;
  return count;
}

bool has_control_character(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) return true;
    // U+0080..009F are C2 80..C2 9F; no other sequence contains the byte C2.
    if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) return true;
  }
  return false;
}

std::string_view trim_xml(std::string_view text) noexcept {
  return trim_blanks(text, " \t\r\n");
}

std::string_view trim_white_space(std::string_view text) noexcept {
  for (auto n = white_space_at_front(text); n > 0; n = white_space_at_front(text)) text.remove_prefix(n);
  for (auto n = white_space_at_back(text); n > 0; n = white_space_at_back(text)) text.remove_suffix(n);
  return text;
}

std::string cut(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view ellipsis = "...";
  if (text.size() <= bytes_max) return std::string{text};
  std::size_t end = bytes_max < ellipsis.size() ? 0 : bytes_max - ellipsis.size();
  while (end > 0 && is_continuation(text[end])) --end;
  return std::string{text.substr(0, end)}.append(ellipsis.substr(0, bytes_max));
}

}  // namespace whence::schema
