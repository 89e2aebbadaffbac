// Nodes are in the order of a walk in depth, so that all within a span is right behind it. The highest node between two
// leads to the innermost span around both; tables for lengths that are powers of two (`highest_`) give it in constant
// time.

#include "net/capture/trace/span_tree.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace whence::net::capture {

SpanTree::SpanTree(TraceState const& state) {
  std::map<std::string_view, std::vector<std::string_view>> below;
  std::vector<std::string_view> starts;  // roots, then all others: what no root leads to is a circle
  starts.reserve(2 * state.spans.size());
  for (auto const& [span, facts] : state.spans) {
    if (facts.parent.empty()) {
      starts.push_back(span);
      continue;
    }
    below[facts.parent].push_back(span);
    if (!state.spans.contains(facts.parent)) starts.push_back(facts.parent);
  }
  for (auto const& [span, facts] : state.spans) starts.push_back(span);
  std::vector<std::size_t> path;
  auto const enter = [&](std::string_view span) {
    if (!places_.emplace(span, nodes_.size()).second) return;
    auto const known = state.spans.find(std::string(span));
    nodes_.push_back({.span = span,
                      .facts = known == state.spans.end() ? nullptr : &known->second,
                      .parent = path.empty() ? none : path.back(),
                      .root = path.empty() ? nodes_.size() : path.front(),
                      .depth = path.size()});
    path.push_back(nodes_.size() - 1);
  };
  std::vector<std::size_t> next;  // of those below each on the path
  for (auto const start : starts) {
    enter(start);
    while (!path.empty()) {
      next.resize(path.size(), 0);
      auto const inside = below.find(nodes_[path.back()].span);
      if (inside != below.end() && next.back() < inside->second.size()) {
        enter(inside->second[next.back()++]);
        continue;
      }
      nodes_[path.back()].end = nodes_.size();
      path.pop_back();
      next.pop_back();
    }
  }
  auto& each = highest_.emplace_back(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) each[i] = i;
  auto const higher = [&](std::size_t one, std::size_t other) {
    return nodes_[other].depth < nodes_[one].depth ? other : one;
  };
  for (std::size_t half = 1; 2 * half <= nodes_.size(); half *= 2) {
    std::vector<std::size_t> twice(nodes_.size() + 1 - 2 * half);
    for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = higher(highest_.back()[i], highest_.back()[i + half]);
    highest_.push_back(std::move(twice));
  }
}

std::size_t SpanTree::find(std::string_view span) const {
  auto const found = places_.find(span);
  return found == places_.end() ? none : found->second;
}

bool SpanTree::is_within(std::size_t inner, std::size_t outer) const {
  return inner != none && outer != none && outer < inner && inner < nodes_[outer].end;
}

std::size_t SpanTree::highest(std::size_t one, std::size_t other) const {
  auto const [first, last] = std::minmax(one, other);
  auto const level = static_cast<std::size_t>(std::bit_width(last - first + 1)) - 1;
  auto const begin = highest_[level][first];
  auto const end = highest_[level][last + 1 - (std::size_t{1} << level)];
  return nodes_[end].depth < nodes_[begin].depth ? end : begin;
}

std::size_t SpanTree::innermost(std::size_t one, std::size_t other) const {
  // From one to the other the highest span is right below it, or one that holds the other.
  return nodes_[highest(one, other)].parent;
}

std::size_t SpanTree::common(std::size_t one, std::size_t other) const {
  return nodes_[highest(one, other)].depth;
}

}  // namespace whence::net::capture
