#pragma once
// Expressions at work: a value from an expression and a row.

#include "queries/cypher/state/state.hpp"
#include "queries/cypher/syntax/expression.hpp"

#include <optional>

namespace whence::queries::cypher {

/// The value of an expression. `row` is written to at the slots of the expression's own variables only. After a
/// failure, which `state` then has, null.
[[nodiscard]] Value evaluate(Expression const& expression, Row& row, RunState& state);

/// Whether a condition is true: neither false nor null. A value that is no boolean is a failure.
[[nodiscard]] bool is_true(Expression const& condition, Row& row, RunState& state);

/// One binary or unary operator on values (operators.cpp).
[[nodiscard]] Value apply(Op op, Value const& left, Value const& right, RunState& state, Place place);
/// `a = b` (values/compare.hpp), with a notice where it is null for want of a time.
[[nodiscard]] std::optional<bool> equals(Value const& a, Value const& b, RunState& state, Place place);
/// `value.name`; of nodes, relations, maps and temporal values.
[[nodiscard]] Value property_of(Value const& value, std::string_view name, RunState& state, Place place);

}  // namespace whence::queries::cypher
