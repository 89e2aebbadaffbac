#pragma once
// Percent-encoding (RFC 3986, 2.1): written with upper-case digits, read with either.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema {

/// Appends each byte as `%XX`.
void append_percent(std::string& out, std::string_view bytes);

/// Appends `text` with each byte as `%XX` for which `is_kept(char)` is false.
template <class Predicate>
void append_percent_encoded(std::string& out, std::string_view text, Predicate is_kept) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_kept(text[i])) {
      out.push_back(text[i]);
    } else {
      append_percent(out, text.substr(i, 1));
    }
  }
}

template <class Predicate>
[[nodiscard]] std::string percent_encoded(std::string_view text, Predicate is_kept) {
  std::string out;
  append_percent_encoded(out, text, is_kept);
  return out;
}

/// The byte of the `%XX` at `at`; nothing where there is none.
[[nodiscard]] std::optional<char> find_percent_byte(std::string_view text, std::size_t at) noexcept;

/// `text` with its escapes taken back; nothing where a `%` begins none.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// Likewise, but a `%` that begins no escape stays.
[[nodiscard]] std::string percent_decoded_leniently(std::string_view text);

}  // namespace whence::schema
