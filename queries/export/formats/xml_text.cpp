// XML 1.0, section 2.2: no control characters but tab, newline and carriage return, no U+FFFE, no U+FFFF.

#include "queries/export/formats/xml_text.hpp"

#include "schema/xml/escape.hpp"

#include <array>

namespace whence::exports {
namespace {

using schema::xml::TextPlace;

/// How many bytes at `at` are one forbidden character; 0 where it is allowed.
std::size_t forbidden_bytes(std::string_view text, std::size_t at) {
  auto const c = static_cast<unsigned char>(text[at]);
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r' ? 0 : 1;
  bool const is_noncharacter =
      text.substr(at).starts_with("\xEF\xBF\xBE") || text.substr(at).starts_with("\xEF\xBF\xBF");
  return is_noncharacter ? 3 : 0;
}

/// For each byte, whether it is written as it is wherever it occurs. The first byte of U+FFFE and U+FFFF is not among
/// them.
constexpr std::array<bool, 256> plain_bytes(TextPlace place) {
  std::array<bool, 256> plain{};
  for (unsigned byte = 0; byte < plain.size(); ++byte) {
    plain[byte] = byte >= 0x20 && byte != 0xEF && schema::xml::reference_to(static_cast<char>(byte), place).empty();
  }
  return plain;
}

}  // namespace

std::uint64_t append_xml_text(std::string& out, std::string_view text) {
  static constexpr auto is_plain = plain_bytes(TextPlace::content);
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto const begin = at;
    while (at < text.size() && is_plain[static_cast<unsigned char>(text[at])]) ++at;
    out.append(text, begin, at - begin);
    if (at == text.size()) break;
    if (auto const bytes = forbidden_bytes(text, at); bytes > 0) {
      out.append("\xEF\xBF\xBD");
      at += bytes;
      ++count;
      continue;
    }
    auto const reference = schema::xml::reference_to(text[at], TextPlace::content);
    reference.empty() ? out.push_back(text[at]) : static_cast<void>(out.append(reference));
    ++at;
  }
  return count;
}

}  // namespace whence::exports
