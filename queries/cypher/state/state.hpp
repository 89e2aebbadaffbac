#pragma once
// What one run knows and has used: graph, params, bounds, values that are held, and the first failure, which ends it.

#include "queries/cypher/base/names.hpp"
#include "queries/cypher/state/run_options.hpp"
#include "queries/cypher/syntax/expression.hpp"
#include "queries/cypher/values/property_graph.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::queries::cypher {

using Row = std::vector<Value>;

/// Runs the patterns and subqueries inside of expressions.
class Subqueries {
 public:
  virtual ~Subqueries() = default;
  /// Calls `visit` with each row of the expression's subquery, started from `row`, until it returns false.
  virtual void each(Expression const& expression, Row const& row, std::function<bool(Row&)> const& visit) = 0;
};

/// The regular expressions that a run has used (pattern_match.cpp).
class CompiledPatterns;

/// Invariant: the first failure stays. After it every evaluation gives null and every operator has no more rows.
class RunState {
 public:
  RunState(PropertyGraph const& graph, Map params, QueryBudget const& budget, Environment const& environment)
      : graph_(&graph),
        params_(std::move(params)),
        budget_(budget),
        environment_(environment),
        random_(environment.random_seed | 1) {}

  [[nodiscard]] PropertyGraph const& graph() const noexcept { return *graph_; }
  /// The size of a row.
  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }
  void set_slots(std::size_t slots) noexcept { slots_ = slots; }
  [[nodiscard]] Map const& params() const noexcept { return params_; }
  [[nodiscard]] Environment const& environment() const noexcept { return environment_; }
  [[nodiscard]] Subqueries* subqueries() const noexcept { return subqueries_; }
  void set_subqueries(Subqueries* subqueries) noexcept { subqueries_ = subqueries; }

  [[nodiscard]] bool failed() const noexcept { return error_.has_value(); }
  [[nodiscard]] std::optional<QueryError> const& error() const noexcept { return error_; }
  /// Notes a failure, unless there is one; returns null for the caller to return.
  Value fail(ErrorKind kind, std::string detail, std::string message, Place place = {});
  Value fail(QueryError error);

  /// Notes what the reader of the answer should know of the values met: once for a place, `notices_max` of them at
  /// most.
  void note(Place place, std::string message, NameKind kind = NameKind::none);
  [[nodiscard]] bool has_noted(Place place) const;
  [[nodiscard]] std::vector<Notice> const& notices() const noexcept { return notices_; }

  /// Counts nodes and relations that are looked at. False: the run has to stop.
  bool spend(std::uint64_t steps);
  /// Ends the run for the reason that an interrupt gave.
  void stopped(schema::Stop reason);
  /// Counts bytes that are held until `release`. False: they are too many.
  bool hold(std::uint64_t bytes);
  /// `hold` where there is room; else false, and the run goes on without them.
  [[nodiscard]] bool hold_if_free(std::uint64_t bytes);
  /// Whether a value of so many bytes may be made beside what is held: else fails, before the memory is asked for.
  bool may_make(std::uint64_t bytes, Place place);
  /// Whether a new list or map is one that the run may have: not too deep, not too large. Else fails, and returns null.
  [[nodiscard]] Value bounded(Value value, Place place);
  /// How much more may be held.
  [[nodiscard]] std::uint64_t bytes_left() const noexcept {
    return budget_.bytes_max > held_ ? budget_.bytes_max - held_ : 0;
  }
  void release(std::uint64_t bytes) noexcept {
    held_ -= bytes < held_ ? bytes : held_;
    if (claimed_ >= held_ + 2 * QueryBudget::counted_step) static_cast<void>(claim());
  }
  [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  /// For walks that ask it themselves.
  [[nodiscard]] schema::Interrupt const& interrupt() const noexcept { return budget_.interrupt; }

  /// Null until the first is used.
  [[nodiscard]] std::shared_ptr<CompiledPatterns>& patterns() noexcept { return patterns_; }

  /// From 0 up to 1, of this run's own sequence.
  double random();

 private:
  /// Says how much is held. False: there is no room for it.
  bool claim();

  PropertyGraph const* graph_;
  Map params_;
  QueryBudget budget_;
  Environment environment_;
  Subqueries* subqueries_ = nullptr;
  std::size_t slots_ = 0;
  std::optional<QueryError> error_;
  std::uint64_t steps_ = 0;
  std::uint64_t unreported_ = 0;  ///< steps since the interrupt was asked
  std::uint64_t held_ = 0;
  std::uint64_t claimed_ = 0;  ///< of it, in whole steps
  std::uint64_t random_;
  std::shared_ptr<CompiledPatterns> patterns_;
  std::vector<Notice> notices_;
};

/// Counts values that a scope holds; gives their bytes back at its end. Small ones are counted together once they reach
/// `grain` bytes, so that a scope with few of them costs nothing. Going through a value costs a step for each
/// `bytes_per_step` bytes, so that long lists and texts are looked at as the nodes of a graph are: in time.
class HeldValues {
 public:
  static constexpr std::uint64_t bytes_per_step = 256;
  static constexpr std::uint64_t usual_grain = 64u << 10;

  explicit HeldValues(RunState& state, std::uint64_t grain = usual_grain) : state_(&state), grain_(grain) {}
  HeldValues(HeldValues&& other) noexcept
      : state_(other.state_), grain_(other.grain_), pending_(other.pending_), held_(std::exchange(other.held_, 0)) {}
  HeldValues(HeldValues const&) = delete;
  HeldValues& operator=(HeldValues const&) = delete;
  HeldValues& operator=(HeldValues&&) = delete;
  ~HeldValues() { clear(); }

  /// False: the run has to stop.
  bool add(std::uint64_t bytes) {
    pending_ += bytes;
    if (pending_ < grain_) return true;
    auto const counted = std::exchange(pending_, 0);
    held_ += counted;
    return state_->spend(counted / bytes_per_step) && state_->hold(counted);
  }
  bool add(Value const& value) { return add(bytes_of(value)); }
  /// The value of an expression. One that only names what is held elsewhere costs steps and no bytes.
  bool add(Value const& value, Expression const& expression) {
    auto const bytes = bytes_of(value);
    if (bytes < grain_) return true;
    return is_held_elsewhere(expression) ? state_->spend(bytes / bytes_per_step) : add(bytes);
  }
  /// The value of an expression that is looked into, not gone through: one that is held elsewhere costs nothing.
  bool add_made(Value const& value, Expression const& expression) {
    return is_held_elsewhere(expression) || add(value);
  }
  void clear() {
    state_->release(std::exchange(held_, 0));
    pending_ = 0;
  }

 private:
  static bool is_held_elsewhere(Expression const& expression) {
    return expression.is<Literal, Parameter, Variable, PropertyLookup, ElementLookup>();
  }

  RunState* state_;
  std::uint64_t grain_;
  std::uint64_t pending_ = 0;
  std::uint64_t held_ = 0;
};

}  // namespace whence::queries::cypher
