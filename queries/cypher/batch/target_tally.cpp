// An edge costs one addition at the place of its node, instead of a row that filters, keys and groups look at.
#include "queries/cypher/batch/target_tally.hpp"

#include <algorithm>

namespace whence::queries::cypher {

void TargetTally::begin(std::size_t part) {
  bool const is_last_empty = !sections_.empty() && sections_.back().begin == met_.size();
  if (is_last_empty) sections_.pop_back();
  sections_.push_back({.part = part, .begin = met_.size()});
}

void TargetTally::add(std::span<std::uint32_t const> nodes) {
  // Each is written, and stays where it is new: which are is not foreseen by a processor.
  auto met = met_.size();
  met_.resize(met + nodes.size());
  auto* const met_nodes = met_.data();
  auto* const counts = counts_.data();
  for (auto const node : nodes) {
    auto const count = counts[node];
    met_nodes[met] = node;
    met += count == 0 ? 1 : 0;
    counts[node] = static_cast<Count>(count + 1);
    if (count == carried) {
      carries_.push_back(node);
      counts[node] = 1;
    }
  }
  met_.resize(met);
}

MetTargets::MetTargets(std::span<TargetTally> tallies) : tallies_(tallies) {
  for (auto const& tally : tallies) {
    for (std::size_t i = 0; i < tally.sections_.size(); ++i) {
      auto const [part, begin] = tally.sections_[i];
      auto const end = i + 1 < tally.sections_.size() ? tally.sections_[i + 1].begin : tally.met_.size();
      sections_.push_back({.part = part, .nodes = std::span{tally.met_}.subspan(begin, end - begin)});
    }
    carries_.insert(carries_.end(), tally.carries_.begin(), tally.carries_.end());
  }
  std::ranges::sort(sections_, {}, &Section::part);
  std::ranges::sort(carries_);
  if (carries_.empty()) return;
  has_carries_.resize(tallies.front().counts_.size());
  for (auto const node : carries_) has_carries_.insert(node);
}

std::uint64_t MetTargets::take(std::uint32_t node) noexcept {
  std::uint64_t count = 0;
  for (auto& tally : tallies_) {
    if (!tally.is_ready()) continue;
    count += tally.counts_[node];
    tally.counts_[node] = 0;
  }
  if (count == 0 || carries_.empty() || !has_carries_.contains(node)) return count;
  auto const [first, last] = std::equal_range(carries_.begin(), carries_.end(), node);
  return count + static_cast<std::uint64_t>(last - first) * TargetTally::carried;
}

}  // namespace whence::queries::cypher
