#pragma once
// From the UTF-16 that Xerces hands over to UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::schema::xml {

/// Collects text that comes in pieces; a piece may end between the two halves of a character. Keeps its memory when
/// cleared.
class Utf8Text {
 public:
  void append(std::u16string_view piece);
  void clear() noexcept {
    bytes_.clear();
    characters_ = 0;
    high_ = 0;
  }

  [[nodiscard]] std::string const& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t characters() const noexcept { return characters_; }

 private:
  void append_wide(char16_t unit);

  std::string bytes_;
  std::size_t characters_ = 0;
  char16_t high_ = 0;  ///< the first half of a character whose second is still to come
};

/// Bytes that `text` takes in UTF-8.
[[nodiscard]] std::size_t utf8_size(std::u16string_view text) noexcept;

/// `text` must be well-formed.
[[nodiscard]] std::string to_utf8(std::u16string_view text);

}  // namespace whence::schema::xml
