#pragma once
// The type of a member's value, whether or not the member may be absent.

#include <optional>

namespace whence::schema {

template <class Member>
struct ValueType {
  using type = Member;
};
template <class Value>
struct ValueType<std::optional<Value>> {
  using type = Value;
};

/// `T` for `T` and for `std::optional<T>`.
template <class Member>
using value_type_t = typename ValueType<Member>::type;

}  // namespace whence::schema
