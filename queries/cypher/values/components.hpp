#pragma once
// Temporal values taken apart: their text, and their components by name.

#include "queries/cypher/values/value.hpp"

#include <string>
#include <string_view>

namespace whence::queries::cypher {

/// As ISO 8601 writes it. Empty for a value that is not temporal.
[[nodiscard]] std::string temporal_text(Value const& value);

/// The same with seconds in any case, as RFC 3339 wants them of a moment with an offset.
[[nodiscard]] std::string full_temporal_text(Value const& value);

/// The component `name` ("year", "epochSeconds"); null where the value has none of this name.
[[nodiscard]] Value component_of(Value const& value, std::string_view name);

}  // namespace whence::queries::cypher
