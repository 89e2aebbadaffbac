#pragma once
// Values to and from JSON.

#include "queries/cypher/values/value.hpp"
#include "schema/base/time.hpp"

#include <optional>

#include <boost/json/value.hpp>

namespace whence::queries::cypher {

/// Objects become maps, arrays lists; a number without fraction and exponent an integer, where it is beyond 64 bits
/// with a sign a float if that is the same number, else the text of its digits.
[[nodiscard]] Value from_json(boost::json::value const& json);
/// Nodes as `labels` and `properties` (`id` where they have no `ref`); relations as `from`, `to` (refs or ids), `type`
/// and `properties`; paths as `nodes` and `relations`; temporal values as their texts, with seconds. NaN and infinities
/// are null, which is all that JSON has for them.
[[nodiscard]] boost::json::value to_json(Value const& value);

/// A moment of UTC.
[[nodiscard]] Value from_time(schema::Time time);
/// A date and time as an instant; without an offset, or without a time of day, it is of UTC. None for other values, and
/// for years that have no text of RFC 3339.
[[nodiscard]] std::optional<schema::Time> to_time(Value const& value);

}  // namespace whence::queries::cypher
