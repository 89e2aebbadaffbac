#pragma once
// What runs statements: the interface between Bolt and a query language.

#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/bolt/packstream/writer.hpp"
#include "net/work/memory_budget.hpp"
#include "queries/cypher/state/run_options.hpp"
#include "queries/view/params.hpp"
#include "schema/base/interrupt.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace whence::net::bolt {

/// A statement with everything it needs.
struct Statement {
  std::string text;
  Map parameters = {};
  queries::AsOf as_of = {};   ///< transaction 0
  bool is_reading = true;     ///< the client asked for reading only (`mode: "r"`)
  bool wants_notices = true;  ///< `notifications` in the summary
  std::shared_ptr<queries::cypher::Caller const> caller = {};
  std::shared_ptr<PeerMemory> memory = {};  ///< counts what its rows hold
};

/// Takes rows as messages. One row is `begin_row`, its values, `end_row`.
class RowSink {
 public:
  explicit RowSink(Dialect dialect) noexcept : dialect_{dialect} {}

  /// The writer for one value per column.
  [[nodiscard]] PackWriter begin_row(std::size_t columns);
  void end_row();

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::string& text() noexcept { return text_; }

 private:
  Dialect dialect_;
  std::string text_;
  std::size_t begin_ = 0;
  std::size_t rows_ = 0;
};

/// How many rows are wanted now.
struct RowBounds {
  std::size_t rows_max;
  std::size_t bytes_max;  ///< no row is begun beyond
};

/// A statement that runs. One thread at a time; not always the same.
class Cursor {
 public:
  virtual ~Cursor() = default;
  [[nodiscard]] virtual std::vector<std::string> const& fields() const = 0;
  /// Evaluates some more rows into `rows`; false when there are none left. At least one, unless there is none.
  [[nodiscard]] virtual Outcome<bool> next(RowSink& rows, RowBounds bounds, schema::Interrupt const& interrupt) = 0;
  /// What is said after the last row, beside what every statement says: `plan` or `profile`, say.
  [[nodiscard]] virtual Map summary() const { return {}; }
};

/// Runs statements of one store. Any thread may call any member; outlives its cursors.
class QueryRunner {
 public:
  virtual ~QueryRunner() = default;
  /// Begins a statement. Fails with what is wrong with its text or its parameters.
  [[nodiscard]] virtual Outcome<std::unique_ptr<Cursor>> start(Statement statement,
                                                               schema::Interrupt const& interrupt) = 0;
};

}  // namespace whence::net::bolt
