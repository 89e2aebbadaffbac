#pragma once
// Text as a terminal may show it.

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::net::plain_text {

/// `text` with everything that could control a terminal replaced by an escape: control characters (`\n`, `\u001b`) and
/// marks of writing direction. `text` is UTF-8; ill-formed bytes become U+FFFD.
[[nodiscard]] std::string shown(std::string_view text);

/// Columns a terminal needs for `text`: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The beginning of `text` that fits into `width` columns, with an ellipsis where something was cut.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

}  // namespace whence::net::plain_text
