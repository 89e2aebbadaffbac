#pragma once
// What a caller may do: `read` everything that writes nothing, `write` also records, `admin` also the store itself.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace whence::net {

/// Each role may do what the ones before it may.
enum class Role : std::uint8_t { none = 0, read = 1, write = 2, admin = 3 };

[[nodiscard]] std::string_view name_of(Role role) noexcept;
[[nodiscard]] std::optional<Role> find_role(std::string_view name) noexcept;  ///< "read", "write", "admin"
std::ostream& operator<<(std::ostream& out, Role role);

}  // namespace whence::net
