#pragma once
// Every rule of the contract, once: what errors, warnings and documentation call it and say of it.

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace whence::schema::xml {

/// What kind of thing is wrong (spec section 3).
enum class XmlError : std::uint8_t {
  malformed_xml,
  missing_element,
  duplicate_element,
  misplaced_element,
  missing_attribute,
  invalid_attribute,
  empty_content,
  limit_exceeded,
  unsupported_encoding,
  doctype_forbidden,
};

[[nodiscard]] std::string_view name_of(XmlError error) noexcept;  ///< "malformed_xml"
std::ostream& operator<<(std::ostream& out, XmlError error);

/// A rule a document must hold, or should.
struct RuleInfo {
  std::string_view name;  ///< "R5", "Q3", "encoding", "doctype", "limit"; of warnings "name_form", ...
  bool is_warning;
  std::string_view doc;  ///< one sentence
};

/// Names of the rows of `rules()`, in their order.
enum class XmlRule : std::uint8_t {
  q1,
  q2,
  q3,
  q4,
  q5,
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  r7,
  r8,
  r9,
  r10,
  encoding,
  doctype,
  limit,
  name_form,
  term_form,
  keyword_count,
  confidence,
  description_length,
  stray_text,
};

/// All of them: Q1 to Q5, R1 to R10, encoding, doctype, limit, then the warnings.
[[nodiscard]] std::span<RuleInfo const> rules() noexcept;
[[nodiscard]] RuleInfo const& info(XmlRule rule) noexcept;

}  // namespace whence::schema::xml
