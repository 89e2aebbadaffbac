// The names of roles.

#include "net/access/role.hpp"

#include <array>
#include <ostream>

namespace whence::net {

namespace {
constexpr std::array<std::string_view, 5> role_names = {"none", "metrics", "read", "write", "admin"};  // by number
}

std::string_view name_of(Role role) noexcept {
  return role_names[static_cast<std::size_t>(role)];
}

std::optional<Role> find_role(std::string_view name) noexcept {
  for (Role const role : {Role::metrics, Role::read, Role::write, Role::admin}) {
    if (name_of(role) == name) return role;
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, Role role) {
  return out << name_of(role);
}

}  // namespace whence::net
