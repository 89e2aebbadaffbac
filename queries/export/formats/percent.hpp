#pragma once
// Percent-encoding (RFC 3986, 2.1), upper-case digits.

#include <string>
#include <string_view>

namespace whence::exports {

/// Appends each byte as `%XX`.
inline void append_percent(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (char const byte : bytes) {
    auto const value = static_cast<unsigned char>(byte);
    out.push_back('%');
    out.push_back(digits[value >> 4U]);
    out.push_back(digits[value & 15U]);
  }
}

}  // namespace whence::exports
