#pragma once
// Moments from maps of parts (`{year: 2015, week: 3}`), and truncation.

#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/values/moment_parts.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace whence::queries::cypher::functions {

/// The type that `date`, `date.truncate` and so on make.
[[nodiscard]] std::optional<ValueType> temporal_type_of(std::string_view name);

/// Fails for a part of a map whose value is wrong, or whose name is none of `known`.
Value wrong_part(FunctionCall const& call, std::string_view name);
Value unknown_part(FunctionCall const& call, std::string_view name, std::span<std::string_view const> known);

/// A moment of `type` from the parts of a map. What the map leaves out comes from `base` where there is one (a
/// truncated moment), from the map's own `date`, `time` or `datetime`, and otherwise starts at its least value.
[[nodiscard]] Value moment_from_map(FunctionCall const& call, ValueType type, Map const& map,
                                    std::optional<MomentParts> const& base);

}  // namespace whence::queries::cypher::functions
