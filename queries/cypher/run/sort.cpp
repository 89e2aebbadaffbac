// ORDER BY. With a LIMIT behind it only as many rows as it lets through are kept.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>
#include <limits>

namespace whence::queries::cypher {
namespace {

class Sort final : public StepOperator<SortStep> {
 public:
  using StepOperator::StepOperator;

 private:
  struct Kept {
    std::vector<Value> keys;
    std::uint64_t number = 0;  ///< rows that are equal stay in their order
    Row row;
    std::size_t bytes = 0;
  };

  bool pull(Row& row) override {
    if (!is_read_) read(row);
    if (state_.failed() || at_ == kept_.size()) return false;
    row = std::move(kept_[at_++].row);
    return true;
  }

  [[nodiscard]] bool is_before(Kept const& a, Kept const& b) const {
    for (std::size_t i = 0; i < step_.order.size(); ++i) {
      auto const c = order(a.keys[i], b.keys[i]);
      if (c != 0) return step_.order[i]->is_descending ? c > 0 : c < 0;
    }
    return a.number < b.number;
  }

  void read(Row& row) {
    is_read_ = true;
    auto most = std::numeric_limits<std::uint64_t>::max();
    if (step_.limit != nullptr) {
      most = bound_of(step_.limit, "LIMIT", state_);
      auto const skipped = bound_of(step_.skip, "SKIP", state_);
      most = most > most + skipped ? std::numeric_limits<std::uint64_t>::max() : most + skipped;
      if (most == 0 || state_.failed()) return;
    }
    auto const before = [this](Kept const& a, Kept const& b) { return is_before(a, b); };
    std::uint64_t number = 0;
    while (source_->next(row)) {
      Kept kept;
      kept.number = number++;
      kept.keys.reserve(step_.order.size());
      kept.bytes = 64;
      for (auto const* each : step_.order) {
        kept.keys.push_back(evaluate(*each->expression, row, state_));
        kept.bytes += bytes_of(kept.keys.back());
      }
      if (!state_.spend(kept.bytes / HeldValues::bytes_per_step)) return;
      if (kept_.size() == most && !before(kept, kept_.front())) continue;
      kept.row = row;
      for (auto const& value : kept.row) kept.bytes += bytes_of(value);
      if (!state_.hold(kept.bytes)) return;
      held_ += kept.bytes;
      if (kept_.size() == most) {  // the last of the kept rows goes
        std::ranges::pop_heap(kept_, before);
        state_.release(kept_.back().bytes);
        held_ -= kept_.back().bytes;
        kept_.pop_back();
      }
      kept_.push_back(std::move(kept));
      if (step_.limit != nullptr) std::ranges::push_heap(kept_, before);
    }
    sort();
  }

  /// In runs that are merged, so that the clock is looked at in between.
  void sort() {
    constexpr std::size_t run = 4096;
    auto const before = [this](Kept const& a, Kept const& b) { return is_before(a, b); };
    auto const at = [this](std::size_t place) {
      return kept_.begin() + static_cast<std::ptrdiff_t>(std::min(place, kept_.size()));
    };
    for (std::size_t begin = 0; begin < kept_.size(); begin += run) {
      std::sort(at(begin), at(begin + run), before);
      if (!state_.spend(std::min(run, kept_.size() - begin))) return;
    }
    for (auto width = run; width < kept_.size(); width *= 2) {
      for (std::size_t begin = 0; begin + width < kept_.size(); begin += 2 * width) {
        std::inplace_merge(at(begin), at(begin + width), at(begin + 2 * width), before);
        if (!state_.spend(std::min(2 * width, kept_.size() - begin))) return;
      }
    }
  }

  void clear() override {
    kept_.clear();
    at_ = 0;
    is_read_ = false;
    state_.release(std::exchange(held_, 0));
  }

  bool is_read_ = false;
  std::vector<Kept> kept_;
  std::size_t at_ = 0;
  std::size_t held_ = 0;
};

}  // namespace

OperatorPtr OperatorMaker::operator()(SortStep const&) {
  return make<Sort>();
}

}  // namespace whence::queries::cypher
