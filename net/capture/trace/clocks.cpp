#include "net/capture/trace/clocks.hpp"

#include "net/capture/spans/captured.hpp"

namespace whence::net::capture {

namespace {

/// By which the start of a span may be cut.
constexpr Nanos millisecond = 1'000'000;

bool has_clock(SpanFacts const& facts) {
  return !facts.service.empty() || !facts.clock.empty();
}

bool is_of_one_resource(SpanFacts const& one, SpanFacts const& other) {
  return one.service == other.service && one.clock == other.clock;
}

}  // namespace

Clocks::Clocks(SpanTree const& tree) : tree_(tree) {
  auto const& nodes = tree.nodes();
  is_displaced_.resize(nodes.size());
  SpanFacts const* first = nullptr;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto const* const facts = nodes[i].facts;
    if (facts == nullptr) continue;
    auto const* const around = nodes[i].parent == SpanTree::none ? nullptr : nodes[nodes[i].parent].facts;
    is_displaced_[i] = around != nullptr && (facts->start + millisecond <= around->start || facts->start > around->end);
    if (first == nullptr && has_clock(*facts)) first = facts;
    bool const is_other = first != nullptr && has_clock(*facts) && !is_of_one_resource(*facts, *first);
    are_several_ = are_several_ || is_displaced_[i] || is_other;
  }
}

bool Clocks::differ(std::size_t one, std::size_t other) const {
  auto const& nodes = tree_.nodes();
  return is_displaced_[one] || is_displaced_[other] || !is_of_one_resource(*nodes[one].facts, *nodes[other].facts);
}

bool Clocks::are_known(std::size_t from, std::size_t to) const {
  for (auto at = from; at != to; at = tree_.nodes()[at].parent) {
    if (tree_.nodes()[at].facts == nullptr) return false;
  }
  return true;
}

bool Clocks::may_precede(std::size_t source, std::size_t call) const {
  if (!are_several_ || !differ(source, call)) return false;
  if (tree_.is_within(source, call) || tree_.is_within(call, source)) return false;
  auto const& nodes = tree_.nodes();
  auto const& before = *nodes[source].facts;
  auto const& after = *nodes[call].facts;
  if (before.end > after.start + ahead_max) return false;
  auto const both = tree_.innermost(source, call);
  if (!are_known(source, both) || !are_known(call, both)) return false;
  for (auto at = nodes[source].parent; at != both; at = nodes[at].parent) {
    if (!differ(at, call) && nodes[at].facts->start >= after.end) return false;
  }
  for (auto at = nodes[call].parent; at != both; at = nodes[at].parent) {
    if (!differ(at, source) && nodes[at].facts->end <= before.start) return false;
  }
  return true;
}

}  // namespace whence::net::capture
