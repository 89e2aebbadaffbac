#pragma once
// The XML contract: bytes to parts and parts to bytes. Xerces-C++ stands behind it, in .cpp files only.

#include "schema/base/error.hpp"
#include "schema/xml/rules.hpp"
#include "schema/xml/parts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::xml {

/// Bounds checked while parsing; what exceeds one is `limit_exceeded`, rule `limit`.
struct Limits {
  std::size_t bytes_max = std::size_t{1} << 20;
  std::size_t depth_max = 64;                ///< elements inside each other, the root included
  std::size_t attributes_max = 256;          ///< of one element
  std::size_t attribute_bytes_max = 16'384;  ///< of one attribute's value, UTF-8, references resolved
};

/// Warnings told of one document: the first ones. Only stray text can be found more often than about seventy times.
inline constexpr std::size_t warnings_max = 1000;

/// A document that holds every rule, and what a careful author would still change: each warning has `rule`, `path`,
/// `message` and `xml` (its line and column) set. They stand in document order, at most `warnings_max`.
struct Document {
  XmlParts parts;
  std::vector<Violation> warnings = {};
};

/// Checks `bytes` and takes them apart in one pass. `format` says which document is expected; without it the root
/// decides. Nothing is ever fetched. Stops at the first rule broken and fails with `invalid_xml` and one violation
/// (`rule`, `path`, `message`, `xml`), as S1 section 3 and the table in rules.hpp say. Well under 1 s and 64 MiB for
/// any input. Callable from any thread; a thread keeps its parser. O(size).
[[nodiscard]] Result<Document> read(std::string_view bytes, std::optional<XmlFormat> format = {},
                                    Limits const& limits = {});

/// The document that says `parts`: no declaration, no white space between elements, members in S1's order, an empty
/// list as no element, `& < >` (in attributes also `" '`) as entities, carriage return as `&#13;`, tab and newline in
/// attributes as `&#9;` and `&#10;`. What is written reads back equal. Fails with `invalid_xml` where no document can
/// say the parts: a rule of the contract broken, a character XML cannot hold, a list item that is blank, untrimmed or
/// holds a comma.
[[nodiscard]] Result<std::string> write(XmlParts const& parts);

}  // namespace whence::schema::xml
