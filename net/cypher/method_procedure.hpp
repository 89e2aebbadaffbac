#pragma once
// A read method as a procedure of openCypher.

#include "net/cypher/catalog/method_shape.hpp"
#include "net/rpc/method.hpp"
#include "queries/cypher/state/procedures.hpp"

#include <string_view>

namespace whence::net {

/// What is before a method's name.
inline constexpr std::string_view procedure_prefix = "whence.";

/// Whether a method is a function of the graph that a query may call: a read, other than `query` itself.
[[nodiscard]] bool is_procedure(Method const& method) noexcept;

/// `CALL whence.<method>(required..., {options})`, or with one map of both. A node is taken as its ref, one item as a
/// list of it. Options of every method: `as_of` (a transaction, a time or a text of RFC 3339) reads another moment than
/// the query; `limit` (but of one-row answers) ends the rows. Items of the answer's lists are rows, made when they are
/// pulled; an answer without lists is one row.
///
/// A call fails where the method does, with its message, and with `limit_exceeded` where the answer is cut by another
/// bound than the options': no row is left out in silence. `bytes_max` of the context bounds how many nodes are
/// reached.
[[nodiscard]] queries::cypher::Procedure procedure_of(Method const& method, MethodShape shape);

}  // namespace whence::net
