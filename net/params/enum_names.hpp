#pragma once
// Enumerators and their names on the wire: one table per enum, read by parsing and by OpenRPC alike.

#include <array>
#include <optional>
#include <string_view>

namespace whence::net {

/// An enumerator and its name on the wire.
template <class Enum>
struct Named {
  Enum value;
  std::string_view name;
};

/// The names of an enum; specialised for each enum that params hold. Empty: not such an enum.
template <class Enum>
inline constexpr std::array<Named<Enum>, 0> names_of = {};
/// The enumerator called `name`, or nothing. O(names).
template <class Enum>
std::optional<Enum> find_named(std::string_view name) {
  for (auto const& each : names_of<Enum>) {
    if (each.name == name) return each.value;
  }
  return std::nullopt;
}

}  // namespace whence::net
