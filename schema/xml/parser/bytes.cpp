// The byte checks. Positions are byte offsets; reader.cpp makes places of them.
#include "schema/xml/parser/bytes.hpp"

#include "schema/base/text.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/xml/parser/place.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>

namespace whence::schema::xml {
namespace {

/// Length of a UTF-8 sequence by its first byte, right for well-formed ones.
std::size_t sequence_length(char lead) noexcept {
  auto const byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

std::size_t first_bad_sequence(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t const length = sequence_length(bytes[at]);
    if (!is_utf8(bytes.substr(at, length))) break;
    at += length;
  }
  return at;
}

std::optional<ByteFault> find_encoding_fault(std::string_view bytes) noexcept {
  std::size_t const zero = bytes.find('\0');
  std::string_view const before_zero = bytes.substr(0, zero);
  if (!is_utf8(before_zero)) {
    bool const is_utf16 = bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE");
    return ByteFault{XmlError::unsupported_encoding, XmlRule::encoding, first_bad_sequence(before_zero),
                     is_utf16 ? "the document is UTF-16; only UTF-8 is read" : "the bytes are not UTF-8"};
  }
  if (zero == std::string_view::npos) return std::nullopt;
  return ByteFault{XmlError::unsupported_encoding, XmlRule::encoding, zero, "a zero byte has no place in XML"};
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return schema::lower(a) == b; });
}

/// The value of `name = "value"` in a declaration. Empty where it is absent or written otherwise; Xerces then decides.
std::string_view value_in_declaration(std::string_view declaration, std::string_view name) noexcept {
  std::size_t at = declaration.find(name);
  if (at == std::string_view::npos || at == 0 || !is_white(declaration[at - 1])) return {};
  auto const skip_white = [&] {
    while (at < declaration.size() && is_white(declaration[at])) ++at;
  };
  at += name.size();
  skip_white();
  if (at >= declaration.size() || declaration[at++] != '=') return {};
  skip_white();
  if (at >= declaration.size() || (declaration[at] != '"' && declaration[at] != '\'')) return {};
  std::size_t const end = declaration.find(declaration[at], at + 1);
  return end == std::string_view::npos ? std::string_view{} : declaration.substr(at + 1, end - at - 1);
}

std::optional<ByteFault> find_declaration_fault(std::string_view bytes) noexcept {
  std::size_t const start = byte_order_mark(bytes);
  constexpr std::string_view opening = "<?xml";
  std::string_view declaration = bytes.substr(start);
  if (!declaration.starts_with(opening)) return std::nullopt;
  declaration = declaration.substr(opening.size(), declaration.find("?>") - opening.size());
  if (declaration.empty() || !is_white(declaration.front())) return std::nullopt;  // <?xml-stylesheet, or malformed
  std::string_view const version = value_in_declaration(declaration, "version");
  std::string_view const encoding = value_in_declaration(declaration, "encoding");
  if (!version.empty() && version != "1.0") {
    return ByteFault{XmlError::unsupported_encoding, XmlRule::encoding, start, "only XML 1.0 is read"};
  }
  if (!encoding.empty() && !equals_ignoring_case(encoding, "utf-8") && !equals_ignoring_case(encoding, "utf8")) {
    return ByteFault{XmlError::unsupported_encoding, XmlRule::encoding, start,
                     "the declaration names an encoding other than UTF-8"};
  }
  return std::nullopt;
}

std::optional<ByteFault> find_doctype(std::string_view bytes) noexcept {
  std::size_t const at = skip_misc(bytes, byte_order_mark(bytes));
  if (!bytes.substr(at).starts_with("<!DOCTYPE")) return std::nullopt;
  return ByteFault{XmlError::doctype_forbidden, XmlRule::doctype, at, "a DOCTYPE is never accepted"};
}

/// Whether there are more than `max` of `c`.
bool has_more_than(std::string_view bytes, char c, std::size_t max) noexcept {
  std::size_t count = 0;
  for (std::size_t at = bytes.find(c); at != std::string_view::npos; at = bytes.find(c, at + 1)) {
    if (++count > max) return true;
  }
  return false;
}

/// Reads the start tag at `tag`: where it ends, or behind which attribute it has too many.
struct TagScan {
  std::size_t end;
  bool is_flood;
};

TagScan scan_tag(std::string_view bytes, std::size_t tag, std::size_t attributes_max) noexcept {
  std::size_t attributes = 0;
  std::size_t at = tag + 1;
  while (true) {
    at = bytes.find_first_of("\"'>", at);
    if (at == std::string_view::npos) return {bytes.size(), false};
    if (bytes[at] == '>') return {at + 1, false};
    std::size_t const quote = bytes.find(bytes[at], at + 1);
    if (quote == std::string_view::npos) return {bytes.size(), false};
    at = quote + 1;
    if (++attributes > attributes_max) return {at, true};
  }
}

/// The byte behind a section that is no tag (comment, CDATA, processing instruction, end tag), 0 where `at` is a start
/// tag.
std::size_t skip_section(std::string_view bytes, std::size_t at) noexcept {
  struct Section {
    std::string_view opening;
    std::string_view end;
  };
  constexpr Section sections[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"</", ">"}, {"<!", ">"}};
  for (Section const& section : sections) {
    if (!bytes.substr(at).starts_with(section.opening)) continue;
    std::size_t const found = bytes.find(section.end, at + section.opening.size());
    return found == std::string_view::npos ? bytes.size() : found + section.end.size();
  }
  return 0;
}

}  // namespace

std::optional<ByteFault> find_byte_fault(std::string_view bytes, Limits const& limits) noexcept {
  if (bytes.size() > limits.bytes_max) {
    return ByteFault{XmlError::limit_exceeded, XmlRule::limit, 0, "the document is too large"};
  }
  if (auto const fault = find_encoding_fault(bytes)) return fault;
  if (auto const fault = find_declaration_fault(bytes)) return fault;
  return find_doctype(bytes);
}

std::optional<AttributeFlood> find_attribute_flood(std::string_view bytes, std::size_t attributes_max) noexcept {
  if (!has_more_than(bytes, '=', attributes_max)) return std::nullopt;  // nearly every document
  for (std::size_t at = bytes.find('<'); at != std::string_view::npos; at = bytes.find('<', at)) {
    if (std::size_t const end = skip_section(bytes, at); end != 0) {
      at = end;
      continue;
    }
    TagScan const scan = scan_tag(bytes, at, attributes_max);
    if (scan.is_flood) return AttributeFlood{.tag = at, .cut = scan.end};
    at = scan.end;
  }
  return std::nullopt;
}

}  // namespace whence::schema::xml
