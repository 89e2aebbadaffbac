#pragma once
// Base64 (RFC 4648): with padding (section 4), and with the alphabet that is safe in URLs and file names, without (5).

#include <optional>
#include <string>
#include <string_view>

namespace whence::schema {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// Nothing for other characters and stray bits at the end. Padding may be absent.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Nothing for text that `encode_base64url` does not produce (other characters, padding, stray bits at the end).
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace whence::schema
