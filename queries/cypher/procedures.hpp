#pragma once
// The procedures that `CALL` may name: a signature, and a function from arguments to rows.

#include "queries/cypher/error.hpp"
#include "queries/cypher/values/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// A parameter or a column of a procedure.
struct ProcedureField {
  std::string name;
  std::string type = "ANY";  ///< "INTEGER", "FLOAT", "NUMBER", "STRING", "BOOLEAN", "MAP", "LIST", "NODE", "ANY"
  bool is_optional = false;  ///< a parameter at the end that may be left out; it is null then
};

/// What `CALL name(arguments)` does.
struct Procedure {
  std::string name;  ///< with its namespace: "whence.node.get"
  std::vector<ProcedureField> parameters;
  std::vector<ProcedureField> columns;
  /// Arguments, one per parameter and of its type or null, to rows with one value per column. `graph` is the graph of
  /// the query's moment.
  std::function<Outcome<std::vector<List>>(PropertyGraph const& graph, List const& arguments)> call;
};

/// Finds procedures by name.
class Procedures {
 public:
  virtual ~Procedures() = default;
  /// Null where there is none; otherwise lives as long as this object.
  [[nodiscard]] virtual Procedure const* find(std::string_view name) const = 0;
};

}  // namespace whence::queries::cypher
