#pragma once
// What the bytes of a valid document are: content or markup, and where content holds a `>` as it is.

#include "schema/xml/parts.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::xml {

/// A text or an attribute value that holds `>` unescaped, which XML allows and the contract advises against.
struct BareMark {
  std::size_t offset;  ///< of its first one
  std::string path;    ///< of the element, or of its attribute
};

struct Markup {
  std::size_t content_bytes = 0;     ///< texts that are not blank, CDATA and attribute values, as written
  std::vector<BareMark> marks = {};  ///< in document order; of known elements and attributes only
};

/// Takes a document of `format` apart that `read` accepts. Of any other bytes it returns something. O(size).
[[nodiscard]] Markup measure(std::string_view bytes, XmlFormat format);

/// Whether `measure` may find marks in a well-formed document; costs a fraction of it, and most documents have none.
[[nodiscard]] bool may_have_bare_marks(std::string_view bytes) noexcept;

}  // namespace whence::schema::xml
