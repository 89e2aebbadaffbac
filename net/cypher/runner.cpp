// Statements of Bolt as queries of openCypher.

#include "net/cypher/runner.hpp"

#include "net/cypher/bolt_values.hpp"
#include "net/cypher/catalog/known_names.hpp"
#include "net/cypher/moment.hpp"
#include "net/cypher/procedures.hpp"
#include "net/cypher/row_bound.hpp"
#include "net/cypher/step_interrupt.hpp"
#include "net/service/service.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

/// One query that runs. The members are in the order in which they need each other.
class CypherCursor final : public bolt::Cursor {
 public:
  CypherCursor(std::unique_ptr<CypherMoment> moment, std::shared_ptr<PeerMemory> const& memory)
      : moment_{std::move(moment)},
        held_{memory},
        row_{memory},
        kept_{memory},
        budget_{.interrupt = interrupt_,
                .rows_max = std::numeric_limits<std::uint64_t>::max(),
                .may_hold = [this](std::uint64_t bytes) { return held_.try_set(bytes); }} {}

  [[nodiscard]] bolt::Outcome<void> start(bolt::Statement const& statement, schema::Interrupt const& interrupt) {
    InterruptOfStep::Step const step{interrupt_, interrupt};
    auto const prepared = cypher::prepare(statement.text, &cypher_procedures());
    if (!prepared) return bolt_failure(prepared.error());
    wants_notices_ = statement.wants_notices;
    text_ = statement.text;
    caller_ = statement.caller;
    auto environment = moment_->environment();
    environment.caller = caller_.get();
    if (wants_notices_) notifications_ = bolt_notifications(prepared->notices(known_names()), statement.text);
    auto parameters = cypher_parameters(statement.parameters, moment_->zones());
    if (!parameters) return parameters.error();
    auto rows = cypher::run(*prepared, moment_->graph(), std::move(*parameters), budget_, environment);
    if (!rows) return bolt_failure(rows.error());
    rows_.emplace(std::move(*rows));
    fields_ = rows_->columns();
    return {};
  }

  [[nodiscard]] std::vector<std::string> const& fields() const override { return fields_; }

  [[nodiscard]] bolt::Outcome<bool> next(bolt::RowSink& rows, bolt::RowBounds bounds,
                                         schema::Interrupt const& interrupt) override {
    InterruptOfStep::Step const step{interrupt_, interrupt};
    auto const made = make(rows, bounds, interrupt);
    count_kept();
    return made;
  }

  [[nodiscard]] bolt::Map summary() const override {
    bolt::Map members;
    auto notifications = notifications_;
    if (wants_notices_)
      std::ranges::move(bolt_notifications(rows_->notices(), text_), std::back_inserter(notifications));
    if (!notifications.empty()) members.push_back({.key = "notifications", .value = {std::move(notifications)}});
    if (rows_->is_explain()) members.push_back({.key = "plan", .value = bolt_plan(rows_->plan())});
    if (rows_->is_profile()) members.push_back({.key = "profile", .value = bolt_plan(rows_->plan())});
    return members;
  }

 private:
  [[nodiscard]] bolt::Outcome<bool> make(bolt::RowSink& rows, bolt::RowBounds bounds,
                                         schema::Interrupt const& interrupt) {
    while (rows.rows() < bounds.rows_max && rows.text().size() < bounds.bytes_max) {
      auto const row = rows_->next();
      if (!row) return bolt_failure(row.error());
      if (!*row) return finished();
      auto out = rows.begin_row((*row)->size());
      RowBound bound{rows.text(), budget_.bytes_max, row_, interrupt};
      for (auto const& value : **row) {
        write_bolt(out, value, bound);
        if (!bound.may_go_on()) break;
      }
      if (bound.problem()) return bolt_failure(*bound.problem());
      rows.end_row();
    }
    return true;
  }

  /// Records are kept for the next rows, which the peer may never ask for: only where there is room for them.
  void count_kept() {
    auto const& graph = moment_->graph();
    if (kept_.try_set(graph.kept_bytes())) return;
    graph.let_go();
    kept_.set(0);
  }

  /// A record that could not be read gave no properties: the rows are wrong.
  [[nodiscard]] bolt::Outcome<bool> finished() const {
    if (auto const error = moment_->graph().error()) return bolt::failure_of(*error);
    return false;
  }

  std::unique_ptr<CypherMoment> moment_;
  std::shared_ptr<cypher::Caller const> caller_;
  InterruptOfStep interrupt_;
  MemoryClaim held_;  ///< of the run
  MemoryClaim row_;   ///< of the text of the row that was made last
  MemoryClaim kept_;  ///< of the records that were read, between steps
  cypher::QueryBudget budget_;
  std::optional<cypher::Rows> rows_;
  std::vector<std::string> fields_;
  bolt::List notifications_;
  bool wants_notices_ = false;
  std::string text_;
};

class CypherRunner final : public bolt::QueryRunner {
 public:
  explicit CypherRunner(ServiceState& service) : service_{service} {}

  [[nodiscard]] bolt::Outcome<std::unique_ptr<bolt::Cursor>> start(bolt::Statement statement,
                                                                   schema::Interrupt const& interrupt) override {
    bool const is_admin = !statement.caller || statement.caller->role == name_of(Role::admin);
    auto moment = moment_of(service_, statement.as_of, is_admin);
    if (!moment) return bolt::failure_of(moment.error());
    auto cursor = std::make_unique<CypherCursor>(
        std::move(*moment), statement.memory ? statement.memory : std::make_shared<PeerMemory>(service_.memory));
    if (auto const started = cursor->start(statement, interrupt); !started) return started.error();
    return std::unique_ptr<bolt::Cursor>{std::move(cursor)};
  }

 private:
  ServiceState& service_;
};

}  // namespace

std::shared_ptr<bolt::QueryRunner> make_cypher_runner(Service& service) {
  return std::make_shared<CypherRunner>(service.state());
}

}  // namespace whence::net
