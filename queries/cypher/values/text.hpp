#pragma once
// Values as text: as the language writes them, and as `toString` makes them.

#include "queries/cypher/values/value.hpp"

#include <string>

namespace whence::queries::cypher {

/// As a literal of the language; nodes, relations and paths as patterns with all their properties.
[[nodiscard]] std::string to_text(Value const& value);
/// The shortest text that reads back as the number; always with a point or an exponent.
[[nodiscard]] std::string to_text(double number);

}  // namespace whence::queries::cypher
