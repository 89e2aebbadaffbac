#pragma once
// Escaping of text for XML 1.0, used by every writer of XML here and in exports.

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::schema::xml {

/// Where in a document a text is written.
enum class TextPlace : std::uint8_t {
  content,           ///< between tags
  attribute,         ///< in an attribute value in double quotes; a single quote stays as it is
  quoted_attribute,  ///< in an attribute value in either kind of quotes
};

/// The reference to write for `c`; empty where `c` is written as it is. White space that a parser would normalize away
/// becomes a character reference. What XML forbids altogether is not known here.
[[nodiscard]] constexpr std::string_view reference_to(char c, TextPlace place) noexcept {
  bool const is_attribute = place != TextPlace::content;
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\r':
      return "&#13;";
    case '"':
      return is_attribute ? "&quot;" : std::string_view{};
    case '\'':
      return place == TextPlace::quoted_attribute ? "&apos;" : std::string_view{};
    case '\t':
      return is_attribute ? "&#9;" : std::string_view{};
    case '\n':
      return is_attribute ? "&#10;" : std::string_view{};
    default:
      return {};
  }
}

/// Appends `text` with references where needed.
inline void append_escaped(std::string& out, std::string_view text, TextPlace place) {
  for (char const c : text) {
    std::string_view const reference = reference_to(c, place);
    reference.empty() ? out.push_back(c) : void(out.append(reference));
  }
}

}  // namespace whence::schema::xml
