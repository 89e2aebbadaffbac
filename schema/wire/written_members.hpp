#pragma once
// Which members of a record and of its parts are written, in the order of the field tables.

#include "schema/base/fields.hpp"
#include "schema/checks/bounds.hpp"

namespace whence::schema::json {

/// Calls `visit(name, value)` for each member that is there and not left for the server to make.
template <Described T, class Visit>
void for_each_written(T const& value, Visit const& visit) {
  for_each_field<T>([&](auto const& each) {
    auto const& member = value.*each.member;
    if constexpr (requires { member.has_value(); }) {
      if (member) visit(each.name, *member);
    } else {
      bool const is_to_be_made = each.presence == Presence::made && is_left_out(member);
      if (!is_to_be_made) visit(each.name, member);
    }
  });
}

}  // namespace whence::schema::json
