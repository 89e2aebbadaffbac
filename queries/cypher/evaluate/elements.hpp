#pragma once
// What an UNWIND, a comprehension, a quantifier or `reduce` goes over: the elements of a list, or the numbers of
// `range()`, which are not made into a list for it.

#include "queries/cypher/functions/range.hpp"
#include "queries/cypher/state/state.hpp"
#include "queries/cypher/values/value.hpp"

#include <cstddef>
#include <utility>

namespace whence::queries::cypher {

class Elements {
 public:
  Elements() = default;
  explicit Elements(Value value) : value_(std::move(value)) {}
  explicit Elements(NumberRange range) : range_(range), is_range_(true) {}

  /// The list, or what is in its place: null, or a value that is no list. Null of a range.
  [[nodiscard]] Value const& value() const noexcept { return value_; }
  /// Whether there is nothing to go over: null, not an empty list.
  [[nodiscard]] bool is_null() const noexcept { return !is_range_ && value_.is_null(); }
  [[nodiscard]] bool is_list() const noexcept { return is_range_ || value_.find_list() != nullptr; }
  [[nodiscard]] bool is_at_end() const noexcept {
    if (is_range_) return range_.is_empty;
    auto const* list = value_.find_list();
    return at_ >= (list != nullptr ? list->size() : value_.is_null() ? 0 : 1);
  }
  /// The next one; a value that is no list is its only element.
  [[nodiscard]] Value next() {
    if (is_range_) return range_.take();
    auto const* list = value_.find_list();
    auto const at = at_++;
    return list != nullptr ? (*list)[at] : value_;
  }

 private:
  Value value_;
  NumberRange range_ = {};
  bool is_range_ = false;
  std::size_t at_ = 0;
};

/// The elements of an expression's value.
[[nodiscard]] Elements elements_of(Expression const& expression, Row& row, RunState& state);

}  // namespace whence::queries::cypher
