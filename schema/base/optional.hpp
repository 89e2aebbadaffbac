#pragma once
// Members that may be absent: one that seldom is there, kept apart from the struct that may have it, and the type of a
// member's value.

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace whence::schema {

/// As `std::optional<T>`, but takes the room of a pointer while it is empty and an allocation while it is not: for
/// members that few of many structs have. A copy copies the value; one that was moved from is empty.
template <class T>
class BoxedOptional {
 public:
  using value_type = T;

  BoxedOptional() noexcept = default;
  BoxedOptional(std::nullopt_t) noexcept {}
  template <class U>
  requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, BoxedOptional>)
      BoxedOptional(U&& value)
      : value_(std::make_unique<T>(std::forward<U>(value))) {}
  BoxedOptional(BoxedOptional const& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  BoxedOptional(BoxedOptional&& other) noexcept = default;
  BoxedOptional& operator=(BoxedOptional const& other) {
    if (this != &other) *this = BoxedOptional(other);
    return *this;
  }
  BoxedOptional& operator=(BoxedOptional&& other) noexcept = default;
  ~BoxedOptional() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
  /// Only while there is a value.
  [[nodiscard]] T& operator*() noexcept { return *value_; }
  [[nodiscard]] T const& operator*() const noexcept { return *value_; }
  [[nodiscard]] T* operator->() noexcept { return value_.get(); }
  [[nodiscard]] T const* operator->() const noexcept { return value_.get(); }

  template <class... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() noexcept { value_.reset(); }

  /// The value, moved out of here.
  [[nodiscard]] std::optional<T> optional() && {
    auto const value = std::move(value_);
    return value ? std::optional<T>{std::move(*value)} : std::nullopt;
  }

  friend bool operator==(BoxedOptional const& a, BoxedOptional const& b) {
    return a && b ? *a == *b : a.has_value() == b.has_value();
  }

 private:
  std::unique_ptr<T> value_;
};

template <class Member>
struct ValueType {
  using type = Member;
};
template <class Value>
struct ValueType<std::optional<Value>> {
  using type = Value;
};
template <class Value>
struct ValueType<BoxedOptional<Value>> {
  using type = Value;
};

/// `T` for `T` and for what may hold a `T`.
template <class Member>
using value_type_t = typename ValueType<Member>::type;

}  // namespace whence::schema
