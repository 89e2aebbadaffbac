#pragma once
// One aggregation over the rows of a group.

#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/state/state.hpp"
#include "queries/cypher/values/compare.hpp"

#include <unordered_set>
#include <vector>

namespace whence::queries::cypher {

struct SameValue {
  bool operator()(Value const& a, Value const& b) const { return is_same(a, b); }
};
struct ValueHash {
  std::size_t operator()(Value const& value) const { return hash_of(value); }
};

class Aggregator {
 public:
  Aggregator(Expression const& call, RunState& state);

  /// Takes the row's value. Nulls count for `count(*)` only.
  void add(Row& row);
  [[nodiscard]] Value result();

 private:
  void add_number(Value const& value);
  [[nodiscard]] Value mean();
  [[nodiscard]] Value deviation() const;
  [[nodiscard]] Value percentile();
  void keep_best(Value const& value);

  Expression const& call_;
  Invocation const& invocation_;
  RunState& state_;
  HeldValues held_;  ///< exactly, as there may be many of these
  Aggregation what_;
  std::int64_t count_ = 0;
  Value total_;      ///< a sum, the least, the greatest
  double mean_ = 0;  ///< of deviations, by Welford's method; of a mean whose sum overflows
  double squares_ = 0;
  Value fraction_;             ///< of percentiles
  std::vector<Value> values_;  ///< collected
  std::unordered_set<Value, ValueHash, SameValue> distinct_;
};

}  // namespace whence::queries::cypher
