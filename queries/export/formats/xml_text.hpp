#pragma once
// Text as XML 1.0 can hold it: escaped where it must be, replaced where no escape exists.

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::exports {

/// Appends element content; a character that XML forbids becomes U+FFFD. Returns how many did. `text` is UTF-8.
std::uint64_t append_xml_text(std::string& out, std::string_view text);

/// Appends the value of an attribute without its quotes, otherwise as `append_xml_text`.
std::uint64_t append_xml_attribute(std::string& out, std::string_view text);

/// The id of a node: as an attribute, but a character that XML forbids is percent-encoded, byte by byte, so that
/// different ids stay different. Returns how many were.
std::uint64_t append_xml_id(std::string& out, std::string_view text);

}  // namespace whence::exports
