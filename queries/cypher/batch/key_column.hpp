#pragma once
// One key of a grouping as numbers: rows have the same number, once united, where the values of the key are the same.
// Of the node, where a node or a property that no two share is the key; of a text in a column; of a day, where the key
// is the date of a time or the beginning of its text; else of the value, once for each node.

#include "queries/cypher/batch/batch.hpp"
#include "queries/cypher/batch/pair_numbers.hpp"
#include "queries/cypher/run/aggregator.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace whence::queries::cypher {

/// Numbers of values, in order of appearance. Values that are the same but not alike, as 1 and 1.0, have numbers of
/// their own: a group shows the value that it was met with.
class ValueNumbers {
 public:
  explicit ValueNumbers(RunState& state) : state_(state) {}
  [[nodiscard]] std::uint32_t number_of(Value const& value);
  [[nodiscard]] Value const& operator[](std::uint32_t number) const { return values_[number]; }
  /// The first number of the values that are the same as that of `number`.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t number) const { return first_[number]; }
  /// Whether some values are the same and not alike.
  [[nodiscard]] bool has_unlike() const noexcept { return has_unlike_; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  RunState& state_;
  std::unordered_map<Value, std::uint32_t, ValueHash, SameValue> numbers_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> first_;  ///< by number
  std::vector<std::uint32_t> next_;   ///< by number: the next that is the same and not alike, or the number itself
  bool has_unlike_ = false;
  std::uint64_t bytes_ = 0;
};

class KeyColumn {
 public:
  KeyColumn() = default;
  KeyColumn(KeyColumn const&) = delete;
  KeyColumn& operator=(KeyColumn const&) = delete;
  virtual ~KeyColumn() = default;

  /// Fills `numbers`, one for each row. False: the run has failed.
  [[nodiscard]] virtual bool read(Batch const& batch, Row& row, std::vector<std::uint32_t>& numbers) = 0;
  /// Replaces each number by the first of those whose values are the same.
  virtual void unite(std::vector<std::uint32_t>& /*numbers*/) const {}
  /// The value of a number.
  [[nodiscard]] virtual Value value_of(std::uint32_t number, Row& row) = 0;
  /// All numbers are below it.
  [[nodiscard]] virtual std::uint64_t bound() const = 0;
  /// Bytes held for the run, to be released.
  [[nodiscard]] virtual std::uint64_t held() const { return 0; }
  /// Whether it asks nodes for properties one by one.
  [[nodiscard]] virtual bool reads_nodes() const { return false; }
};

/// Null where the key cannot be computed from columns.
[[nodiscard]] std::unique_ptr<KeyColumn> make_key_column(Expression const& expression, SlotColumns const& columns,
                                                         SlotFacts const& facts, PropertyGraph const& graph,
                                                         RunState& state);

}  // namespace whence::queries::cypher
