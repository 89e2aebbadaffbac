// All but `count(*)` pass over null. Counts, sums, means and deviations run along with the rows; only DISTINCT,
// `collect` and percentiles hold their values.
#include "queries/cypher/run/aggregator.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace whence::queries::cypher {

Aggregator::Aggregator(Expression const& call, RunState& state)
    : call_(call),
      invocation_(std::get<Invocation>(call.form)),
      state_(state),
      held_(state, 0),
      what_(invocation_.function->aggregation) {}

void Aggregator::add(Row& row) {
  if (invocation_.counts_rows) {
    ++count_;
    return;
  }
  auto const value = evaluate(*call_.operands[0], row, state_);
  if (call_.operands.size() > 1 && fraction_.is_null()) {
    fraction_ = evaluate(*call_.operands[1], row, state_);
    if (!fraction_.is_number() || !(fraction_.number() >= 0 && fraction_.number() <= 1)) {
      state_.fail(ErrorKind::argument_error, "NumberOutOfRange", "a percentile is a number from 0 to 1", call_.place);
      return;
    }
  }
  if (value.is_null() || state_.failed()) return;
  if (invocation_.is_distinct) {
    if (!distinct_.insert(value).second) return;
    if (!held_.add(64 + bytes_of(value))) return;
  }
  ++count_;
  switch (what_) {
    case Aggregation::count:
    case Aggregation::none:
      break;
    case Aggregation::min:
      if (count_ == 1 || order(value, total_) < 0) keep_best(value);
      break;
    case Aggregation::max:
      if (count_ == 1 || order(value, total_) > 0) keep_best(value);
      break;
    case Aggregation::collect:
      if (held_.add(value)) values_.push_back(value);
      break;
    case Aggregation::percentile_cont:
    case Aggregation::percentile_disc:
    case Aggregation::sum:
    case Aggregation::avg:
    case Aggregation::st_dev:
    case Aggregation::st_dev_p:
      add_number(value);
      break;
  }
}

void Aggregator::add_number(Value const& value) {
  bool const may_be_duration = what_ == Aggregation::sum || what_ == Aggregation::avg;
  if (!value.is_number() && !(may_be_duration && value.find_duration() != nullptr)) {
    state_.fail(ErrorKind::type_error, "InvalidArgumentType",
                std::string{invocation_.function->name} + "() takes numbers, not " + std::string{name_of(value.type())},
                call_.place);
    return;
  }
  if (may_be_duration) {
    // The mean of integers is a float, and their sum may not fit.
    auto const added = what_ == Aggregation::avg && value.is_number() ? Value{value.number()} : value;
    total_ = count_ == 1 ? added : apply(Op::add, total_, added, state_, call_.place);
    auto const count = static_cast<double>(count_);
    if (added.is_number()) mean_ += added.number() / count - mean_ / count;
  } else if (what_ == Aggregation::percentile_cont || what_ == Aggregation::percentile_disc) {
    if (held_.add(sizeof(Value))) values_.push_back(value);
  } else {
    auto const distance = value.number() - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (value.number() - mean_);
  }
}

void Aggregator::keep_best(Value const& value) {
  if (!invocation_.is_distinct) held_.clear();
  if (held_.add(value)) total_ = value;
}

Value Aggregator::deviation() const {
  auto const divisor = static_cast<double>(what_ == Aggregation::st_dev ? count_ - 1 : count_);
  return divisor <= 0 ? Value{0.0} : Value{std::sqrt(squares_ / divisor)};
}

Value Aggregator::percentile() {
  if (values_.empty()) return {};
  // What would stand at a place, were all sorted: O(values).
  auto const at = [this](double place) {
    auto const chosen = values_.begin() + static_cast<std::ptrdiff_t>(place);
    std::ranges::nth_element(values_, chosen, [](Value const& a, Value const& b) { return order(a, b) < 0; });
    return *chosen;
  };
  if (!state_.spend(values_.size())) return {};
  auto const last = static_cast<double>(values_.size() - 1);
  if (what_ == Aggregation::percentile_disc) {
    auto const place = std::ceil(fraction_.number() * static_cast<double>(values_.size())) - 1;
    return at(std::clamp(place, 0.0, last));
  }
  auto const place = fraction_.number() * last;
  auto const below = at(std::floor(place)).number();
  auto const above = at(std::ceil(place)).number();
  return below + (above - below) * (place - std::floor(place));
}

Value Aggregator::mean() {
  if (count_ == 0) return {};
  // The sum may pass the largest float where the mean does not.
  if (total_.is_number() && std::isinf(total_.number()) && std::isfinite(mean_)) return Value{mean_};
  return apply(Op::divide, total_, Value{static_cast<double>(count_)}, state_, call_.place);
}

Value Aggregator::result() {
  switch (what_) {
    case Aggregation::count:
      return count_;
    case Aggregation::sum:
      return count_ == 0 ? Value{std::int64_t{0}} : total_;
    case Aggregation::avg:
      return mean();
    case Aggregation::collect:
      return state_.bounded(Value{std::move(values_)}, call_.place);
    case Aggregation::st_dev:
    case Aggregation::st_dev_p:
      return deviation();
    case Aggregation::percentile_cont:
    case Aggregation::percentile_disc:
      return percentile();
    default:
      return total_;
  }
}

}  // namespace whence::queries::cypher
