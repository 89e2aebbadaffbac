#pragma once
// Enumerations whose values records and answers show by name. One table of names each; reading, writing, schemas and
// search follow from it.

#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string_view>
#include <type_traits>

namespace whence::schema {

/// The names in the order of the numbers, which are 0, 1, 2, ... without gaps. Each such enumeration has a
/// specialization beside it.
template <class Enum>
inline constexpr std::array<std::string_view, 0> enum_names = {};

template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && !enum_names<Enum>.empty();

/// Precondition: `value` is one of the enumerators; what is read from a store was checked to be.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) noexcept {
  return enum_names<Enum>[static_cast<std::size_t>(value)];
}

/// The value of this name; nothing where it is none's. O(names).
template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> find_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < enum_names<Enum>.size(); ++i) {
    if (enum_names<Enum>[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <NamedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << name_of(value);
}

}  // namespace whence::schema
