#pragma once
// What differs between the versions of Bolt that are spoken.

#include <compare>
#include <cstdint>

namespace whence::net::bolt {

struct Version {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;

  friend auto operator<=>(Version const&, Version const&) = default;
};

inline constexpr Version version_4_4{4, 4};
inline constexpr Version version_5_0{5, 0};
inline constexpr Version version_5_1{5, 1};  ///< tokens come in LOGON instead of HELLO
inline constexpr Version version_5_4{5, 4};  ///< TELEMETRY

/// The forms of nodes, relationships and moments on one connection.
struct Dialect {
  bool has_element_ids = true;  ///< from 5.0 on
  bool is_utc = true;           ///< from 5.0 on; of 4.4 where its patch `utc` was agreed on

  [[nodiscard]] static constexpr Dialect of(Version version) noexcept {
    return {.has_element_ids = version >= version_5_0, .is_utc = version >= version_5_0};
  }
};

}  // namespace whence::net::bolt
