#pragma once
// Time zones by name: the offset from UTC at a moment.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// The offsets of one zone over time.
struct ZoneRules {
  std::vector<std::int64_t> changes;  ///< seconds of UTC, ascending
  std::vector<std::int32_t> offsets;  ///< seconds east of UTC: before the first change, then from each change on
  std::string rule;                   ///< POSIX TZ text for moments after the last change; empty: the last offset stays

  /// The offset at a moment of UTC.
  [[nodiscard]] std::int32_t offset_at(std::int64_t utc_seconds) const;
  /// The offset of a clock reading. In a gap the one before it, in an overlap the earlier one.
  [[nodiscard]] std::int32_t offset_of_local(std::int64_t local_seconds) const;
};

/// Finds zones. Called by one thread at a time.
class Zones {
 public:
  virtual ~Zones() = default;
  /// Null for an unknown name; otherwise lives as long as this object.
  [[nodiscard]] virtual ZoneRules const* find(std::string_view name) const = 0;
};

/// Reads the bytes of a compiled zone file (RFC 8536). None where they are malformed.
[[nodiscard]] std::optional<ZoneRules> parse_zone(std::string_view bytes);

/// The zones of the system (`/usr/share/zoneinfo`), each read when it is first asked for.
class SystemZones final : public Zones {
 public:
  [[nodiscard]] ZoneRules const* find(std::string_view name) const override;

 private:
  mutable std::map<std::string, std::unique_ptr<ZoneRules>, std::less<>> known_;
};

}  // namespace whence::queries::cypher
