#pragma once
// The procedures that `CALL` may name: a signature, and a function from arguments to rows that are made when pulled.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/values/value.hpp"
#include "schema/base/interrupt.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// A parameter or a column of a procedure.
struct ProcedureField {
  std::string name;
  /// "INTEGER", "FLOAT", "NUMBER", "STRING", "BOOLEAN", "DATETIME", "MAP", "LIST", "NODE", "RELATIONSHIP", "ANY";
  /// several with " | " between them.
  std::string type = "ANY";
  bool is_optional = false;  ///< a parameter at the end that may be left out; it is null then
  std::string doc = {};
};

struct Caller;

/// What a call may use. The objects outlive its rows.
struct ProcedureContext {
  PropertyGraph const& graph;          ///< of the query's moment
  schema::Interrupt const& interrupt;  ///< asked now and then by long work; its steps are the query's
  std::uint64_t bytes_max = 0;         ///< how much more the query may hold
  Caller const* caller = nullptr;      ///< who asks, where that is known
};

/// The rows of one call, pulled one by one.
class ProcedureRows {
 public:
  virtual ~ProcedureRows() = default;
  /// Sets `row`, one value per column. False: there are no more.
  [[nodiscard]] virtual Outcome<bool> next(List& row) = 0;
  /// About what it holds now, which counts as held by the query.
  [[nodiscard]] virtual std::uint64_t bytes() const noexcept { return 0; }
};

/// Rows that are there.
[[nodiscard]] std::unique_ptr<ProcedureRows> rows_of(std::vector<List> rows);

/// What `CALL name(arguments)` does.
struct Procedure {
  std::string name;  ///< with its namespace: "whence.node.get"
  std::vector<ProcedureField> parameters;
  std::vector<ProcedureField> columns;
  /// Arguments, one per parameter, to rows. Of its type or null is an argument whose type is known before the run; the
  /// procedure checks the others. `context` is of the call and may be copied.
  std::function<Outcome<std::unique_ptr<ProcedureRows>>(ProcedureContext const& context, List const& arguments)> call;
  std::string doc = {};
  std::vector<ProcedureField> options = {};  ///< members of the parameter `options`, where it has one
  /// One argument that is a map gives the parameters and options by their names: it comes as the first argument.
  bool takes_map = false;
  double rows_estimate = 10;  ///< per call
};

/// "whence.node.count(type :: STRING, options = {} :: MAP) :: (count :: INTEGER)".
[[nodiscard]] std::string signature_of(Procedure const& procedure);

/// Finds procedures by name.
class Procedures {
 public:
  virtual ~Procedures() = default;
  /// Null where there is none; otherwise lives as long as this object.
  [[nodiscard]] virtual Procedure const* find(std::string_view name) const = 0;
  /// Why there is none, without a place.
  [[nodiscard]] virtual QueryError refusal(std::string_view name) const;
};

}  // namespace whence::queries::cypher
