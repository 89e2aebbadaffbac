// Operators that find nodes: the argument, scans, seeks.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/run/operator.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace whence::queries::cypher {
namespace {

class Argument final : public StepOperator<ArgumentStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    if (step_.given == nullptr) return at_++ == 0;
    if (at_ >= step_.given->size()) return false;
    row = (*step_.given)[at_++];
    return true;
  }
  void clear() override { at_ = 0; }

  std::size_t at_ = 0;
};

/// All nodes for each row of the source, read in blocks.
class Scan final : public StepOperator<ScanStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    if (step_.has_label && !step_.label) return false;
    for (;;) {
      if (at_ < count_) {
        row[step_.slot] = Node{plan_.graph, block_[at_++]};
        return true;
      }
      if (is_open_) {
        count_ = plan_.graph->scan(step_.label, position_, std::span{block_}.first(size_));
        at_ = 0;
        size_ = std::min(size_ * 2, block_.size());
        if (step_.reads_properties && count_ > 1) plan_.graph->prefetch(std::span{block_}.first(count_));
        if (!state_.spend(count_ + 1)) return false;
        if (count_ > 0) continue;
        is_open_ = false;
      }
      if (!source_->next(row)) return false;
      is_open_ = true;
      position_ = 0;
    }
  }
  void clear() override {
    is_open_ = false;
    at_ = count_ = 0;
  }

  std::array<std::uint64_t, 256> block_{};
  std::size_t size_ = 16;  ///< of the next block: small at first, as a LIMIT may need few
  std::size_t at_ = 0;
  std::size_t count_ = 0;
  std::uint64_t position_ = 0;
  bool is_open_ = false;
};

/// The nodes that an index has for a value. Conditions are checked again by a filter: an index may find too many.
class Seek final : public StepOperator<SeekStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (at_ < found_.size()) {
        row[step_.slot] = Node{plan_.graph, found_[at_++]};
        return true;
      }
      if (!source_->next(row)) return false;
      auto const value = evaluate(*step_.value, row, state_);
      if (state_.failed()) return false;
      found_.clear();
      at_ = 0;
      if (!value.is_null())
        found_ = plan_.graph->find_nodes(step_.label, step_.property, value).value_or(std::vector<std::uint64_t>{});
      if (!state_.spend(found_.size() + 1)) return false;
    }
  }
  void clear() override {
    found_.clear();
    at_ = 0;
  }

  std::vector<std::uint64_t> found_;
  std::size_t at_ = 0;
};

/// The node that a value is, or whose number it is, as this plan's moment knows it.
class NodeById final : public StepOperator<ByIdStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    while (source_->next(row)) {
      auto const value = evaluate(*step_.value, row, state_);
      if (!state_.spend(1)) return false;
      std::uint64_t id = 0;
      if (auto const* node = value.find_node()) {
        id = node->id;
      } else if (auto const number = whole_number(value); number && *number >= 0) {
        id = static_cast<std::uint64_t>(*number);
      } else {
        continue;
      }
      // A scan from there says whether the moment has the node.
      auto position = id;
      std::array<std::uint64_t, 1> found{};
      if (id >= plan_.graph->node_bound() || plan_.graph->scan({}, position, found) == 0 || found[0] != id) continue;
      row[step_.slot] = Node{plan_.graph, id};
      return true;
    }
    return false;
  }
};

}  // namespace

OperatorPtr OperatorMaker::operator()(ArgumentStep const&) {
  return make<Argument>();
}
OperatorPtr OperatorMaker::operator()(ScanStep const&) {
  return make<Scan>();
}
OperatorPtr OperatorMaker::operator()(SeekStep const&) {
  return make<Seek>();
}
OperatorPtr OperatorMaker::operator()(ByIdStep const&) {
  return make<NodeById>();
}

}  // namespace whence::queries::cypher
