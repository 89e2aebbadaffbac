#pragma once
// A temporal value in its parts: a day, a time of day, a zone. All temporal values are made from and taken into these.

#include "queries/cypher/values/value.hpp"
#include "queries/cypher/values/zones.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::queries::cypher {

struct MomentParts {
  std::optional<std::int64_t> days = {};    ///< since 1970-01-01
  std::optional<std::int64_t> nanos = {};   ///< of the day, on the clock of the zone
  std::optional<std::int32_t> offset = {};  ///< seconds east of UTC
  std::string zone = {};                    ///< a name, besides or instead of the offset
};

/// The parts of a date, a time or a moment; none of another value.
[[nodiscard]] std::optional<MomentParts> parts_of(Value const& value);

/// Finds the offset of the named zone at the parts' moment, where they have no offset: `wanted` where the zone has that
/// then, as when clocks go back and an hour comes twice. A reading that clocks going forward leave out moves forward
/// with them. False for an unknown zone.
[[nodiscard]] bool settle_offset(MomentParts& parts, Zones const* zones, std::optional<std::int32_t> wanted = {});

/// Reads the clock of the named zone anew at the moment that day, time and offset are, where the parts have all three.
void read_clock_of_zone(MomentParts& parts, Zones const* zones);

/// Whether the named zone has the parts' offset at their moment, or one of the two is missing.
[[nodiscard]] bool is_offset_of_zone(MomentParts const& parts, Zones const* zones);

/// A value of `type` (date to date_time) from parts; parts that are missing are midnight, 1970-01-01 and UTC. Parts
/// with a zone have their offset settled.
[[nodiscard]] Value value_of(MomentParts const& parts, ValueType type);

/// Reads a text of ISO 8601 as a value of `type`. None for another text.
[[nodiscard]] std::optional<MomentParts> parse_moment(std::string_view text, ValueType type);
/// Reads `Z`, `+01:00`, `+0100`, `+01`, `+01:00:30`, or a name. None for another text.
[[nodiscard]] bool parse_zone_text(std::string_view text, MomentParts& parts);

}  // namespace whence::queries::cypher
