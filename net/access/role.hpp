#pragma once
// What a caller may do: `metrics` reads the metrics alone, `read` everything that writes nothing, `write` also records,
// `admin` also the store itself.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace whence::net {

/// Each role may do what the ones before it may.
enum class Role : std::uint8_t { none = 0, metrics = 1, read = 2, write = 3, admin = 4 };

[[nodiscard]] std::string_view name_of(Role role) noexcept;
[[nodiscard]] std::optional<Role> find_role(std::string_view name) noexcept;  ///< any but "none"
std::ostream& operator<<(std::ostream& out, Role role);

}  // namespace whence::net
