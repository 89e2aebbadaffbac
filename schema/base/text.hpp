#pragma once
// UTF-8 text: validity, length in code points, and the short form of a value for an error message.

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::schema {

/// Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// `text` as well-formed UTF-8: one U+FFFD for each maximal part that begins a sequence and does not end it, or begins
/// none (Unicode 15, 3.9 "U+FFFD Substitution of Maximal Subparts"). O(n).
[[nodiscard]] std::string to_utf8(std::string_view text);

/// Code points in well-formed UTF-8. O(n).
[[nodiscard]] std::size_t code_points(std::string_view text) noexcept;

/// Whether `text` holds a control character: U+0000..001F or U+007F..009F.
[[nodiscard]] bool has_control_character(std::string_view text) noexcept;

/// `text` without XML white space (space, tab, carriage return, newline) around it.
[[nodiscard]] std::string_view trim_xml(std::string_view text) noexcept;

/// `text` without white space around it, as Python's `str.strip` understands it: Unicode's, and U+001C..001F.
[[nodiscard]] std::string_view trim_white_space(std::string_view text) noexcept;

/// At most `bytes_max` bytes of `text`, cut between code points, with "..." where something was cut.
[[nodiscard]] std::string cut(std::string_view text, std::size_t bytes_max);

}  // namespace whence::schema
