// The table of rules, and the names of errors.
#include "schema/xml/rules.hpp"

#include <array>
#include <cstddef>
#include <ostream>

namespace whence::schema::xml {
namespace {

constexpr std::array<std::string_view, 10> error_names = {
    "malformed_xml",     "missing_element", "duplicate_element", "misplaced_element",    "missing_attribute",
    "invalid_attribute", "empty_content",   "limit_exceeded",    "unsupported_encoding", "doctype_forbidden"};

// In the order of XmlRule.
constexpr RuleInfo rule_rows[] = {
    {"Q1", false, "The document is well-formed XML 1.0 with well-formed namespaces."},
    {"Q2", false, "The root is <llmQuery>, and there only."},
    {"Q3", false, "Exactly one <userMessage> in the root, not blank, at most 10,000 characters."},
    {"Q4", false, "Exactly one <context> in the root, with a topicId that is not blank and a messageCount from 0."},
    {"Q5", false, "At most one <activeSubjects> of 20 and one <recentKeywords> of 50 items, both in <context>."},
    {"R1", false, "The document is well-formed XML 1.0 with well-formed namespaces."},
    {"R2", false, "The root is <llmResponse>, and there only."},
    {"R3", false, "Exactly one <response> in the root, not blank."},
    {"R4", false, "Exactly one <analysis> in the root."},
    {"R5", false, "At most 3 <subject>, all in <analysis>."},
    {"R6", false,
     "Each <subject> has a name (not blank, at most 255 characters, none of them control), a description (not blank) "
     "and isNew (true or false)."},
    {"R7", false, "At most 10 <keyword> in each <subject>, and nowhere else."},
    {"R8", false,
     "Each <keyword> has a term (not blank, at most 255 characters, none of them control) and a confidence."},
    {"R9", false, "Each confidence is a number from 0.0 to 1.0."},
    {"R10", false, "Exactly one <summaryUpdate> in <analysis>; it may be empty."},
    {"encoding", false, "Bytes are UTF-8 without zero bytes, and a declaration says XML 1.0 and nothing but UTF-8."},
    {"doctype", false, "There is no DOCTYPE."},
    {"limit", false, "Size, depth, attributes of an element and length of an attribute stay within what is parsed."},
    {"name_form", true, "A subject's name should be lowercase words joined by hyphens."},
    {"term_form", true, "A keyword's term should be lowercase words joined by hyphens."},
    {"keyword_count", true, "A subject should have 3 to 7 keywords."},
    {"confidence", true, "A keyword whose confidence is under 0.6 should be left out."},
    {"description_length", true, "A subject's description should have 50 to 200 characters."},
    {"stray_text", true, "Text should be in the elements that are for text."},
    {"response_length", true, "A response should have 100 to 2000 characters."},
    {"summary_length", true, "A summary update that is not blank should have 50 to 300 characters."},
    {"subject_count", true, "An analysis should have 1 to 3 subjects."},
    {"bare_mark", true, "A > in a text or an attribute should be written as &gt;."},
};
static_assert(std::size(rule_rows) == static_cast<std::size_t>(XmlRule::bare_mark) + 1);

}  // namespace

std::string_view name_of(XmlError error) noexcept {
  return error_names[static_cast<std::size_t>(error)];
}

std::ostream& operator<<(std::ostream& out, XmlError error) {
  return out << name_of(error);
}

std::span<RuleInfo const> rules() noexcept {
  return rule_rows;
}

RuleInfo const& info(XmlRule rule) noexcept {
  return rule_rows[static_cast<std::size_t>(rule)];
}

}  // namespace whence::schema::xml
