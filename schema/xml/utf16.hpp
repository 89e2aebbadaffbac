#pragma once
// Between UTF-8 and the UTF-16 of Xerces.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace whence::schema::xml {

/// Collects text that comes in pieces; a piece may end between the two halves of a character. Keeps its memory when
/// cleared.
class Utf8Text {
 public:
  void append(std::u16string_view piece);
  void clear() noexcept {
    size_ = 0;
    characters_ = 0;
    high_ = 0;
  }

  /// Until the next `append`.
  [[nodiscard]] std::string_view bytes() const noexcept { return {room_.data(), size_}; }
  [[nodiscard]] std::size_t characters() const noexcept { return characters_; }

 private:
  [[nodiscard]] char* append_wide(char16_t unit, char* out) noexcept;

  std::string room_;      ///< the text and room for more; kept from text to text, at most three times the longest
  std::size_t size_ = 0;  ///< of the text
  std::size_t characters_ = 0;
  char16_t high_ = 0;  ///< the first half of a character whose second is still to come
};

/// Whether two names are the same; == of the library goes unit by unit.
[[nodiscard]] inline bool is_equal(std::u16string_view a, std::u16string_view b) noexcept {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(char16_t)) == 0;
}

struct Widened {
  std::size_t bytes;  ///< read
  std::size_t units;  ///< written
};

/// Writes the start of `text`, well-formed UTF-8, as UTF-16: as many whole characters as `units_max` has room for.
/// `out` need not be aligned.
[[nodiscard]] Widened widen(std::string_view text, unsigned char* out, std::size_t units_max) noexcept;

/// Bytes that `text` takes in UTF-8.
[[nodiscard]] std::size_t utf8_size(std::u16string_view text) noexcept;

/// `text` must be well-formed.
[[nodiscard]] std::string to_utf8(std::u16string_view text);

}  // namespace whence::schema::xml
