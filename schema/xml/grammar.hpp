#pragma once
// The grammar of both documents as tables: the place and number of each element, its required attributes, its text, and
// the rule behind each of these. The reader walks the tables and knows no element by name.

#include "schema/xml/contract.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace whence::schema::xml {

/// The result of checking a value: accepted, accepted with a warning, or refused.
struct Verdict {
  enum class Kind : std::uint8_t { good, warning, error };

  Kind kind = Kind::good;
  XmlError error = XmlError::malformed_xml;
  XmlRule rule = XmlRule::r1;
  std::string_view message = {};  ///< a predicate: "is blank"
};

/// Checks a value and adds it to the parts being built.
using Take = Verdict (*)(std::string_view value, XmlParts& parts);

struct AttributeRow {
  std::string_view name;
  std::u16string_view wide_name;
  Take take;
};

/// In the order of the rows of `elements()`.
enum class Element : std::uint8_t {
  llm_query,
  user_message,
  context,
  active_subjects,
  recent_keywords,
  llm_response,
  response,
  analysis,
  subject,
  keyword,
  summary_update,
};
inline constexpr std::size_t element_count =
    static_cast<std::size_t>(Element::summary_update) + 1;  ///< of the last one

struct ElementRow {
  Element element;
  XmlFormat format;
  std::string_view name;
  std::u16string_view wide_name;
  Element parent;           ///< a root's is itself
  XmlRule rule;             ///< of its place and number
  XmlRule attributes_rule;  ///< of its attributes
  std::uint32_t count_min;  ///< in its parent
  std::uint32_t count_max;
  bool has_text;                             ///< its own text is content, not stray
  std::size_t text_max;                      ///< code points
  std::span<AttributeRow const> attributes;  ///< all of them required
  void (*begin)(XmlParts& parts);            ///< at its start tag, before its attributes; null: nothing to do
  Take end;                                  ///< at its end, with its text; null: nothing to do

  [[nodiscard]] constexpr bool is_root() const noexcept { return parent == element; }
};

/// In the order in which both documents are written.
[[nodiscard]] std::span<ElementRow const, element_count> elements() noexcept;
[[nodiscard]] ElementRow const& row_of(Element element) noexcept;

/// The element that a document of `format` knows by this name; null where it knows none.
[[nodiscard]] ElementRow const* find_element(XmlFormat format, std::u16string_view name) noexcept;

/// Appends `/response`, `/subject[2]`: a number where there may be several, or are.
void append_step(std::string& path, ElementRow const& row, std::uint32_t number);

}  // namespace whence::schema::xml
