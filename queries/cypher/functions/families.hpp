#pragma once
// The functions by family, as the table in function.cpp names them. A null argument gives null unless stated.

#include "queries/cypher/functions/function.hpp"

namespace whence::queries::cypher::functions {

// Graph (graph.cpp).
Value id(FunctionCall const& call);
Value element_id(FunctionCall const& call);
Value labels(FunctionCall const& call);
Value type(FunctionCall const& call);
Value properties(FunctionCall const& call);
Value keys(FunctionCall const& call);
Value start_node(FunctionCall const& call);
Value end_node(FunctionCall const& call);
Value nodes(FunctionCall const& call);
Value relationships(FunctionCall const& call);
Value length(FunctionCall const& call);
Value weight(FunctionCall const& call);

// Lists and any values (list.cpp).
Value coalesce(FunctionCall const& call);
Value exists(FunctionCall const& call);
Value size(FunctionCall const& call);
Value head(FunctionCall const& call);
Value last(FunctionCall const& call);
Value tail(FunctionCall const& call);
Value reverse(FunctionCall const& call);
Value range(FunctionCall const& call);

// Conversions (convert.cpp).
Value to_integer(FunctionCall const& call);
Value to_float(FunctionCall const& call);
Value to_boolean(FunctionCall const& call);
Value to_string(FunctionCall const& call);

// Texts (text.cpp).
Value to_lower(FunctionCall const& call);
Value to_upper(FunctionCall const& call);
Value trim(FunctionCall const& call);
Value replace(FunctionCall const& call);
Value split(FunctionCall const& call);
Value substring(FunctionCall const& call);
Value left(FunctionCall const& call);
Value right(FunctionCall const& call);

// Numbers (math.cpp).
Value unary_math(FunctionCall const& call);
Value abs(FunctionCall const& call);
Value sign(FunctionCall const& call);
Value round(FunctionCall const& call);
Value atan2(FunctionCall const& call);
Value rand(FunctionCall const& call);
Value constant(FunctionCall const& call);

// Temporal values (temporal.cpp, truncate.cpp).
Value make_temporal(FunctionCall const& call);
Value make_duration_value(FunctionCall const& call);
Value duration_between(FunctionCall const& call);
Value from_epoch(FunctionCall const& call);
Value truncate(FunctionCall const& call);
Value timestamp(FunctionCall const& call);

/// A failure of one argument: "TypeError", "InvalidArgumentValue".
Value wrong_argument(FunctionCall const& call, Value const& value);

}  // namespace whence::queries::cypher::functions
