#pragma once
// The rules of the contract: their names in errors and warnings, and a sentence for documentation. A misplaced,
// repeated or missing element is reported under the rule of that element, attributes under R6, R8, Q4, a number of
// confidence under R9, faults of XML itself under R1 or Q1.

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace whence::schema::xml {

/// The kind of fault.
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

/// A rule that a document must follow, or should (a warning).
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
  response_length,
  summary_length,
  subject_count,
  bare_mark,
};

/// All of them: Q1 to Q5, R1 to R10, encoding, doctype, limit, then the warnings.
[[nodiscard]] std::span<RuleInfo const> rules() noexcept;
[[nodiscard]] RuleInfo const& info(XmlRule rule) noexcept;

}  // namespace whence::schema::xml
