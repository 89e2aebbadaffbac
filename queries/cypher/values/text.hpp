#pragma once
// Values as text: as the language writes them, and as `toString` makes them.

#include "queries/cypher/values/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::queries::cypher {

/// As a literal of the language; nodes, relations and paths as patterns with all their properties.
[[nodiscard]] std::string to_text(Value const& value);
/// The shortest text that reads back as the number; always with a point or an exponent.
[[nodiscard]] std::string to_text(double number);

/// Where `part` first begins in `text`, from byte `from` on; `npos` where it does not. O(text), whatever `part` is:
/// `std::string::find` takes text times part where they nearly match.
[[nodiscard]] std::size_t find_in(std::string_view text, std::string_view part, std::size_t from = 0) noexcept;

}  // namespace whence::queries::cypher
