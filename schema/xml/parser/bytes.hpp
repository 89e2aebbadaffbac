#pragma once
// Checks of the bytes before any parser sees the document. Xerces would accept these faults: it takes a zero byte
// behind the root for the end, XML 1.1 for XML and any declared encoding for the forced one, and it would process a
// DOCTYPE.

#include "schema/xml/contract.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace whence::schema::xml {

/// A fault in the bytes, and its first byte.
struct ByteFault {
  XmlError error;
  XmlRule rule;
  std::size_t offset;  ///< all before it is well-formed UTF-8
  std::string_view message;
};

/// Size, UTF-8, zero bytes, declaration, DOCTYPE. O(size), a fraction of the time of parsing.
[[nodiscard]] std::optional<ByteFault> find_byte_fault(std::string_view bytes, Limits const& limits) noexcept;

/// A start tag with more attributes than allowed.
struct AttributeFlood {
  std::size_t tag;  ///< its `<`
  std::size_t cut;  ///< behind the first attribute too many
};

/// The first such tag. Xerces gathers all attributes of a tag before it reports the tag, at 200 bytes each; cut
/// there, a document costs no more than the limit allows. In a document that is malformed before, anything or nothing
/// may be found. O(size).
[[nodiscard]] std::optional<AttributeFlood> find_attribute_flood(std::string_view bytes,
                                                                 std::size_t attributes_max) noexcept;

}  // namespace whence::schema::xml
