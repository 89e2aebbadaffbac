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

/// Each such enumeration has beside it a function `enum_names` that takes it and returns an array: the names in the
/// order of the numbers, which are 0, 1, 2, ... without gaps.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  enum_names(Enum{});
};

template <NamedEnum Enum>
inline constexpr auto names_of = enum_names(Enum{});

/// Precondition: `value` is one of the enumerators; what is read from a store was checked to be.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) noexcept {
  return names_of<Enum>[static_cast<std::size_t>(value)];
}

/// The value of this name; nothing where it is none's. O(names).
template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> find_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names_of<Enum>.size(); ++i) {
    if (names_of<Enum>[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <NamedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << name_of(value);
}

}  // namespace whence::schema
