#pragma once
// Equality, comparison and order of values; each of the language's four notions has one function.

#include "queries/cypher/values/value.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace whence::queries::cypher {

/// `a = b`; none is null, which comes from a null inside of either. Moments with a date and an offset are equal as
/// instants, and a text beside a moment is read as one of its type: null where it is none.
[[nodiscard]] std::optional<bool> equals(Value const& a, Value const& b);
/// Below 0, 0, or above 0 as `a` is less than, equal to, or greater than `b`; none where `<` gives null. NaN is
/// neither: callers ask `is_nan` first. Moments and texts as in `equals`.
[[nodiscard]] std::optional<int> compare(Value const& a, Value const& b);
[[nodiscard]] bool is_nan(Value const& value) noexcept;
/// A date, a time, or both.
[[nodiscard]] bool is_moment(Value const& value) noexcept;
/// The total order of ORDER BY, min and max, over all types: null is last, NaN is the last number.
[[nodiscard]] int order(Value const& a, Value const& b);
/// Whether DISTINCT and grouping take them for one: null is null, NaN is NaN.
[[nodiscard]] bool is_same(Value const& a, Value const& b);
/// Equal for values that are the same.
[[nodiscard]] std::size_t hash_of(Value const& value);

/// Keys of groups and of distinct rows.
struct SameRow {
  bool operator()(std::vector<Value> const& a, std::vector<Value> const& b) const;
};
struct RowHash {
  std::size_t operator()(std::vector<Value> const& row) const;
};

}  // namespace whence::queries::cypher
