#pragma once
// Base64 with the URL and filename safe alphabet, without padding (RFC 4648 section 5).

#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// Nothing for text that `encode_base64url` does not produce (other characters, padding, stray bits at the end).
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace whence::net
