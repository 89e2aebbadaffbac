#pragma once
// The member that holds a record's own time, looked up while compiling: the catalogue names it, the field table has it.
// Includes no field table: the caller includes record_fields.hpp.

#include "schema/base/fields.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <string_view>
#include <tuple>

namespace whence::schema {

template <class T>
inline constexpr bool has_own_time = !info(T::record_type).time_member.empty();

/// The place of the member called `name` in the field table of `T`. No such member: does not compile.
template <Described T>
consteval std::size_t place_of_field(std::string_view name) {
  std::size_t place = 0;
  std::size_t found = std::tuple_size_v<decltype(Describe<T>::fields)>;
  for_each_field<T>([&](auto const& each) {
    if (each.name == name) found = place;
    ++place;
  });
  return found;
}

/// The row of the field table of `T` for the member that holds its own time.
template <class T>
requires has_own_time<T>
[[nodiscard]] constexpr auto const& own_time_field() noexcept {
  return std::get<place_of_field<T>(info(T::record_type).time_member)>(Describe<T>::fields);
}

}  // namespace whence::schema
