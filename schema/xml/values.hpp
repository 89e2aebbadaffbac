#pragma once
// Parsing and checking of single values: numbers, booleans, lists and forms.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::xml {

/// Space, tab, newline and carriage return: XML's own, whatever the locale.
[[nodiscard]] constexpr bool is_white(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

/// A number from 0.0 to 1.0 in the lexical form of xs:double, neither INF nor NaN, without space around it. The bound
/// is that of the nearest double: `1e-400` is 0, `-0` is 0 too.
[[nodiscard]] std::optional<double> parse_confidence(std::string_view text) noexcept;

/// xs:nonNegativeInteger without space around it, within 63 bits: "+5", "-0" and "007" are some.
[[nodiscard]] std::optional<std::int64_t> parse_message_count(std::string_view text) noexcept;

/// "true" or "false", nothing else.
[[nodiscard]] std::optional<bool> parse_is_new(std::string_view text) noexcept;

/// The items of a comma-separated list, trimmed; blank ones are left out.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

/// Lowercase words joined by single hyphens. Of ASCII only letters, digits and the hyphen are allowed; other
/// characters pass, because there are no case tables here.
[[nodiscard]] bool is_lowercase_hyphen(std::string_view text) noexcept;

}  // namespace whence::schema::xml
