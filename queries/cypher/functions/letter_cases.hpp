#pragma once
// Upper and lower case of single characters: the simple case mappings of the Unicode Character Database, version 14.

#include <cstdint>

namespace whence::queries::cypher::functions {

/// The character in upper or in lower case; itself where it has none, or where that would be several characters.
[[nodiscard]] char32_t other_case(char32_t character, bool is_upper) noexcept;

}  // namespace whence::queries::cypher::functions
