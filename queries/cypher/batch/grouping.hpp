#pragma once
// The last stage: rows into groups, and what is counted of each group.

#include "queries/cypher/batch/groups.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace whence::queries::cypher {

/// How one aggregation is computed.
struct Counted {
  enum class How : std::uint8_t { rows, different_nodes, values } how = How::rows;
  Expression const* call = nullptr;
  Column column = 0;      ///< of different nodes
  RowFiller filler = {};  ///< of values
};

/// Different nodes: a list while they are few, then bits.
class NodeCount {
 public:
  explicit NodeCount(std::uint64_t bound) : bound_(bound) {}
  void add(std::span<std::uint32_t const> nodes);
  [[nodiscard]] std::uint64_t count();

 private:
  std::uint64_t bound_;
  bool is_list_ = true;
  std::vector<std::uint32_t> list_;
  NodeBits bits_;
  std::uint64_t count_ = 0;
};

class Grouping final : public Stage {
 public:
  Grouping(PlanNode const& plan, RunState& state, std::vector<Counted> counted)
      : Stage(&plan, state), counted_(std::move(counted)) {}

  void start(Row& row, std::unique_ptr<Groups> groups);
  bool push(Batch const& in) override;
  bool finish() override { return !state_.failed(); }

  [[nodiscard]] Groups& groups() noexcept { return *groups_; }
  /// Rows of each group.
  [[nodiscard]] std::vector<std::uint64_t> const& counts() const noexcept { return counts_; }
  /// Without keys there is a group, also of no rows.
  void add_empty_group();
  /// Of the aggregation `i`.
  [[nodiscard]] Value result(std::size_t group, std::size_t i);

 private:
  void add_counts(Batch const& in);
  void ensure_values(std::size_t group);
  [[nodiscard]] bool add_values(Batch const& in);

  std::vector<Counted> counted_;
  std::unique_ptr<Groups> groups_;
  std::vector<std::uint64_t> counts_;
  std::deque<std::vector<Aggregator>> values_;
  std::vector<NodeCount> different_;
  std::vector<std::uint32_t> of_row_;
};

}  // namespace whence::queries::cypher
