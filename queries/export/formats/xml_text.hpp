#pragma once
// Text as XML 1.0 can hold it: escaped where it must be, replaced where no escape exists.

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::exports {

/// Appends element content; a character that XML forbids becomes U+FFFD. Returns how many did. `text` is UTF-8.
std::uint64_t append_xml_text(std::string& out, std::string_view text);

}  // namespace whence::exports
