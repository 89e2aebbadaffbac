// A step is a response with the units that are new with it: three in ten are versions of others, one in five was made
// by an earlier response. Uses are drawn so that few units are used by many responses.

#include "tools/bench/data/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace whence::bench {
namespace {

constexpr std::int64_t start_seconds = 1'700'000'000;
constexpr std::uint32_t first_units = 50;  ///< written before the first response, which needs units to use

std::string numbered(char const* format, std::uint32_t number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

/// Shares with four decimals that sum to exactly 1.
void share_out(std::vector<Use>& uses, std::vector<std::uint32_t> const& raw) {
  std::uint64_t total = 0;
  for (std::uint32_t const part : raw) total += part;
  std::uint32_t left = 10'000;
  for (std::size_t i = 0; i + 1 < uses.size(); ++i) {
    auto const share = static_cast<std::uint32_t>(std::uint64_t{raw[i]} * 10'000 / total);
    uses[i].weight = share / 10'000.0;
    left -= share;
  }
  uses.back().weight = left / 10'000.0;
}

}  // namespace

std::string unit_id(std::uint32_t number) {
  return numbered("cu_%08u", number);
}
std::string response_id(std::uint32_t number) {
  return numbered("resp_%08u", number);
}

std::size_t Workload::zipf_rank(std::size_t size) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  auto const rank = static_cast<std::size_t>(std::exp(unit(random_) * std::log(static_cast<double>(size) + 1.0))) - 1;
  return std::min(rank, size - 1);
}

NewUnit Workload::new_unit() {
  NewUnit unit{.number = units_++};
  std::uniform_int_distribution<int> percent(0, 99);
  bool const is_version = !current_.empty() && percent(random_) < 30;
  bool const is_made = responses_ > 0 && percent(random_) < 20;
  if (is_made) unit.made_by = std::uniform_int_distribution<std::uint32_t>(0, responses_ - 1)(random_);
  if (!is_version) {
    current_.push_back({unit.number, 1});
    return unit;
  }
  auto& line = current_[zipf_rank(current_.size())];
  unit.previous = line.number;
  unit.version = line.version + 1;
  line = {unit.number, unit.version};
  return unit;
}

std::vector<Use> Workload::draw_uses() {
  auto const wanted =
      static_cast<std::size_t>(std::clamp(std::lround(std::normal_distribution<double>(20.0, 9.0)(random_)), 1L, 50L));
  std::vector<Use> uses;
  while (uses.size() < wanted) {
    std::uint32_t const unit = current_[zipf_rank(current_.size())].number;
    bool const is_known = std::any_of(uses.begin(), uses.end(), [&](Use const& use) { return use.unit == unit; });
    if (!is_known) uses.push_back({unit, 0});
  }
  std::vector<std::uint32_t> raw(uses.size());
  for (auto& part : raw) part = std::uniform_int_distribution<std::uint32_t>(1, 100)(random_);
  share_out(uses, raw);
  return uses;
}

Step Workload::next() {
  Step step{.number = responses_, .units = {}, .uses = {}};
  std::size_t const fresh = responses_ == 0 ? first_units : 1;
  for (std::size_t i = 0; i < fresh; ++i) step.units.push_back(new_unit());
  step.uses = draw_uses();
  ++responses_;
  return step;
}

std::vector<Step> Workload::take(std::size_t count) {
  std::vector<Step> steps;
  steps.reserve(count);
  for (std::size_t i = 0; i < count; ++i) steps.push_back(next());
  return steps;
}

void append_records(Step const& step, std::vector<schema::IncomingRecord>& out) {
  schema::Time const time{.seconds = start_seconds + step.number, .nanos = 0};
  for (NewUnit const& unit : step.units) {
    schema::ContextUnit record{.id = unit_id(unit.number),
                               .type = schema::ContextType::user,
                               .source = "memory:project/bench",
                               .timestamp = time,
                               .version = unit.version};
    if (unit.previous) record.previous_version_id = unit_id(*unit.previous);
    if (unit.made_by) record.updated_by_response_id = response_id(*unit.made_by);
    out.push_back({.record = std::move(record)});
  }
  schema::Response response{.id = response_id(step.number),
                            .timestamp = time,
                            .agent = "bench:agent",
                            .model = "bench-model-1",
                            .token_count = 1000 + step.number % 1000};
  if (!step.content.empty()) response.content = step.content;
  response.context_units.reserve(step.uses.size());
  for (Use const& use : step.uses) response.context_units.push_back({unit_id(use.unit), use.weight});
  out.push_back({.record = std::move(response)});
}

}  // namespace whence::bench
