#pragma once
// What a reader sees of an XML document: the texts between its tags.

#include <string>
#include <string_view>

namespace whence::schema {

/// The character data of `xml`, its tags as line ends, entities replaced. Of bytes that are no XML it returns something
/// that is UTF-8 where they are. O(size).
[[nodiscard]] std::string text_of_markup(std::string_view xml);

}  // namespace whence::schema
