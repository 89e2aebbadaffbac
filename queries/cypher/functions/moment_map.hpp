#pragma once
// Moments from maps of parts (`{year: 2015, week: 3}`), and truncation.

#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/values/moment_parts.hpp"

#include <optional>
#include <string_view>

namespace whence::queries::cypher::functions {

/// The type that `date`, `date.truncate` and so on make.
[[nodiscard]] std::optional<ValueType> temporal_type_of(std::string_view name);

/// A moment of `type` from the parts of a map. What the map leaves out comes from `base` where there is one (a
/// truncated moment), from the map's own `date`, `time` or `datetime`, and otherwise starts at its least value.
[[nodiscard]] Value moment_from_map(FunctionCall const& call, ValueType type, Map const& map,
                                    std::optional<MomentParts> const& base);

}  // namespace whence::queries::cypher::functions
