#pragma once
// openCypher over a property graph: prepare a text, run it, pull rows. Writing clauses are refused.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/base/names.hpp"
#include "queries/cypher/state/procedures.hpp"
#include "queries/cypher/state/run_options.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

struct Statement;
class Execution;

/// A parsed and checked query. Immutable: any number of threads may run one at the same time.
class Prepared {
 public:
  explicit Prepared(std::shared_ptr<Statement const> statement) : statement_(std::move(statement)) {}

  [[nodiscard]] std::shared_ptr<Statement const> const& shared_statement() const noexcept { return statement_; }
  /// The names of the result's columns, in order. Those of `CALL name` without `YIELD` follow from the procedure.
  [[nodiscard]] std::vector<std::string> const& columns() const noexcept;
  /// What the query names that `catalog` lacks: it finds nothing there. O(names in the text * names of the catalog).
  [[nodiscard]] std::vector<Notice> notices(NameCatalog const& catalog) const;

 private:
  std::shared_ptr<Statement const> statement_;
};

/// Checks a query. `text` is at most 1 MiB and nests at most 500 levels deep. The error names line, column, what was
/// expected, and for a writing clause its name. `procedures` are those that `CALL` may name; none: no procedure.
[[nodiscard]] Outcome<Prepared> prepare(std::string_view text, Procedures const* procedures = nullptr);

/// The result of a run, pulled row by row. Lives no longer than graph, params and environment of the run.
class Rows {
 public:
  explicit Rows(std::unique_ptr<Execution> execution);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;
  ~Rows();

  [[nodiscard]] std::vector<std::string> const& columns() const noexcept;
  /// The next row, one value per column; none at the end. Work happens here, as little as the next row needs. After an
  /// error every call returns that error.
  [[nodiscard]] Outcome<std::optional<std::vector<Value>>> next();
  /// Bytes that sorts, groups, distinct sets and lists hold now.
  [[nodiscard]] std::uint64_t held() const noexcept;
  /// What was met on the way: comparisons that are null. Complete after the last row.
  [[nodiscard]] std::vector<Notice> const& notices() const noexcept;
  /// The plan, the result's operator first, each before its sources.
  [[nodiscard]] std::vector<PlanLine> plan() const;
  /// The text began with `EXPLAIN` (there are no rows), or with `PROFILE`.
  [[nodiscard]] bool is_explain() const noexcept;
  [[nodiscard]] bool is_profile() const noexcept;

 private:
  std::unique_ptr<Execution> execution_;
};

/// Plans and starts a query. Fails with `parameter_missing` where the text uses a parameter that `params` lacks.
[[nodiscard]] Outcome<Rows> run(Prepared const& prepared, PropertyGraph const& graph, Map params,
                                QueryBudget const& budget, Environment const& environment = {});

/// The plan as an indented text, one operator a line.
std::string to_text(std::vector<PlanLine> const& plan);

}  // namespace whence::queries::cypher
