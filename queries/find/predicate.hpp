#pragma once
// The conditions of node.find, checked once and then evaluated for many nodes.

#include "queries/find/params.hpp"
#include "queries/find/search_field.hpp"
#include "schema/base/error.hpp"

#include <string>
#include <variant>
#include <vector>

namespace whence::queries {

/// A value that owns its text.
using OwnedValue = std::variant<std::string, double, schema::Time>;

/// One condition on one field.
struct Predicate {
  SearchField const* field;
  Condition::Op op;
  std::vector<OwnedValue> operands;  ///< of the field's kind; one, but for `in`
};

/// The conditions of a `where`, all of which must hold. Fails with `invalid_params` naming each unknown field
/// ("/where/FIELD"), and each operand or operator that does not go with its field ("/where/FIELD/OP").
[[nodiscard]] Result<std::vector<Predicate>> parse_where(schema::RecordType type, std::vector<Condition> const& where);

/// Whether `value` satisfies `predicate`; an absent value satisfies none.
[[nodiscard]] bool holds(Predicate const& predicate, std::optional<Value> const& value);

/// Whether the record's value of the predicate's field satisfies it. For fields that are not read from the graph.
[[nodiscard]] bool holds(Predicate const& predicate, schema::Record const& record);

[[nodiscard]] OwnedValue owned(Value const& value);

}  // namespace whence::queries
