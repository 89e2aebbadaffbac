#pragma once
// The XML contract: bytes to parts and parts to bytes. The rules are in README.md and rules.hpp. Xerces-C++ is used in
// .cpp files only.

#include "schema/base/error.hpp"
#include "schema/xml/parts.hpp"
#include "schema/xml/rules.hpp"

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

/// Warnings reported of one document: the first ones. Only stray text can occur more often than about seventy times.
inline constexpr std::size_t warnings_max = 1000;

/// A valid document and its warnings, in document order, at most `warnings_max`. Each warning has `rule`, `path`,
/// `message` and `xml` (line and column) set.
struct Document {
  XmlParts parts;
  std::vector<Violation> warnings = {};
};

/// Checks `bytes` and takes them apart in one pass. `format` says which document is expected; without it the root
/// decides. Nothing is ever fetched. Stops at the first rule broken and fails with `invalid_xml` and one violation
/// (`rule`, `path`, `message`, `xml`), as README.md and the table in rules.hpp say. Well under 1 s and 64 MiB for
/// any input. Callable from any thread; a thread keeps its parser. O(size).
[[nodiscard]] Result<Document> read(std::string_view bytes, std::optional<XmlFormat> format = {},
                                    Limits const& limits = {});

/// The document of `parts`: no declaration, no white space between elements, elements in the contract's order, an empty
/// list as no element, `& < >` (in attributes also `" '`) as entities, carriage return as `&#13;`, tab and newline in
/// attributes as `&#9;` and `&#10;`. What is written reads back equal. Fails with `invalid_xml` where no document can
/// hold the parts: a rule of the contract broken, a character XML cannot hold, a list item that is blank, untrimmed or
/// holds a comma.
[[nodiscard]] Result<std::string> write(XmlParts const& parts);

}  // namespace whence::schema::xml
