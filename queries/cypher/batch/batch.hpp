#pragma once
// Rows of node numbers, column by column, and the stages that they pass.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// The place of a column in a batch; nodes and relations have places of their own.
using Column = std::size_t;

/// Which column a slot has, if the stages set it.
struct SlotColumns {
  std::vector<std::optional<Column>> nodes;      ///< by slot
  std::vector<std::optional<Column>> relations;  ///< by slot
  std::vector<Slot> node_slots = {};             ///< by column
  std::size_t relation_count = 0;

  explicit SlotColumns(std::size_t slots) : nodes(slots), relations(slots) {}
};

/// Rows that stand for assignments of the same slots. Columns that are not read any more are empty.
struct Batch {
  static constexpr std::size_t size_max = 2048;

  std::size_t size = 0;
  std::vector<std::vector<std::uint32_t>> nodes = {};
  std::vector<std::vector<std::uint64_t>> relations = {};
  /// How many rows each represents; empty: one.
  std::vector<std::uint64_t> weights = {};

  /// Of those that are stood for.
  [[nodiscard]] std::uint64_t rows() const noexcept {
    return weights.empty() ? size : std::reduce(weights.begin(), weights.end());
  }
  void clear() {
    size = 0;
    for (auto& column : nodes) column.clear();
    for (auto& column : relations) column.clear();
    weights.clear();
  }
};

/// What a stage hands on of its input.
struct KeptColumns {
  std::vector<Column> nodes = {};
  std::vector<Column> relations = {};
  std::vector<bool> is_node_wanted = {};  ///< by column, of those that it sets itself, too
  std::vector<bool> is_relation_wanted = {};
};

/// Goes along a column and lets the graph fetch the relations of the nodes some rows ahead: lists lie apart in memory,
/// and a stage that waited for each in turn spent half of its time waiting.
class LookAhead {
 public:
  LookAhead(Expansion const& expansion, std::span<std::uint32_t const> nodes) : expansion_(expansion), nodes_(nodes) {
    expect(0);
  }
  /// Before row `i` is read, for each row in turn.
  void reach(std::size_t i) {
    if (i % rows == 0) expect(i + rows);
  }

 private:
  static constexpr std::size_t rows = 16;

  void expect(std::size_t begin) {
    if (begin >= nodes_.size()) return;
    expansion_.graph->expect(nodes_.subspan(begin, std::min(rows, nodes_.size() - begin)), expansion_.direction,
                             expansion_.types);
  }

  Expansion const& expansion_;
  std::span<std::uint32_t const> nodes_;
};

/// What is asked of the nodes of each slot one by one.
struct PropertyReads {
  std::vector<bool> of_records = {};                        ///< properties that their records have
  std::vector<std::vector<std::string_view>> at_hand = {};  ///< those that the graph mostly knows without
};

/// Takes batches and gives batches to the next stage. False: the run has failed.
class Stage {
 public:
  Stage(PlanNode const* plan, RunState& state) : plan_(plan), state_(state) {}
  Stage(Stage const&) = delete;
  Stage& operator=(Stage const&) = delete;
  virtual ~Stage() = default;

  void set_next(Stage& next, KeptColumns kept, SlotColumns const& columns) {
    next_ = &next;
    kept_ = std::move(kept);
    out_.nodes.resize(columns.node_slots.size());
    out_.relations.resize(columns.relation_count);
  }
  virtual void set_reads(PropertyReads const& /*reads*/) {}
  [[nodiscard]] virtual bool push(Batch const& in) = 0;
  /// Hands on what is left, and so do the stages behind.
  [[nodiscard]] virtual bool finish() { return flush() && next_->finish(); }
  /// The row of the run, for expressions; before the first batch.
  virtual void begin(Row& row) {
    row_ = &row;
    out_.clear();
    rows_ = steps_ = 0;
  }

  [[nodiscard]] PlanNode const* plan() const noexcept { return plan_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 protected:
  /// The kept columns of row `i`, once more; the caller adds its own to `out_`, and then calls `added`.
  void copy(Batch const& in, std::size_t i) {
    for (auto const column : kept_.nodes) out_.nodes[column].push_back(in.nodes[column][i]);
    for (auto const column : kept_.relations) out_.relations[column].push_back(in.relations[column][i]);
  }
  [[nodiscard]] bool added(std::uint64_t weight = 1) {
    rows_ += weight;
    return ++out_.size < Batch::size_max || flush();
  }
  [[nodiscard]] bool flush() {
    if (out_.size == 0) return !state_.failed();
    auto const is_good = next_->push(out_);
    out_.clear();
    return is_good;
  }
  [[nodiscard]] bool spend(std::uint64_t steps) {
    steps_ += steps;
    return state_.spend(steps);
  }

  PlanNode const* plan_;
  RunState& state_;
  Stage* next_ = nullptr;
  KeptColumns kept_;
  Batch out_;
  Row* row_ = nullptr;
  std::uint64_t rows_ = 0;
  std::uint64_t steps_ = 0;
};

using StagePtr = std::unique_ptr<Stage>;

/// A stage that does one kind of step.
template <class Step>
class StepStage : public Stage {
 public:
  StepStage(PlanNode const& plan, RunState& state) : Stage(&plan, state), step_(std::get<Step>(plan.step)) {}

 protected:
  Step const& step_;
};

/// Writes the nodes of row `i` to the slots of the run's row, for expressions.
struct RowFiller {
  std::vector<std::pair<Slot, Column>> slots = {};
  PropertyGraph const* graph = nullptr;

  void fill(Row& row, Batch const& batch, std::size_t i) const {
    for (auto const& each : slots) row[each.first] = Node{graph, batch.nodes[each.second][i]};
  }
};

/// The slots of `expression` that have columns. None: it has a subquery, or reads a relation of the stages.
[[nodiscard]] std::optional<RowFiller> filler_of(Expression const& expression, SlotColumns const& columns,
                                                 PropertyGraph const* graph);

/// What is known of the nodes of a slot.
struct SlotFacts {
  std::vector<std::optional<NameId>> labels = {};  ///< by slot: a label that its nodes have
  std::vector<bool> comes_once = {};               ///< by slot: no node comes twice
};

/// What the stages behind an expansion or a walk read of the rows that it finds.
enum class Asked : std::uint8_t {
  rows,
  targets,  ///< only the nodes that it leads to: rows with the same one may be one row of their weight
  counts,   ///< nothing: rows of the same start may be one row of their weight
};

/// The stage of one operator below an aggregation; null where it has none. Adds the columns that it sets. `facts`: what
/// is known behind it.
[[nodiscard]] StagePtr make_stage(PlanNode const& plan, SlotColumns& columns, SlotFacts const& facts, RunState& state,
                                  Asked asked);

}  // namespace whence::queries::cypher
