#pragma once
// Which span of a trace is within which.

#include "net/capture/trace/trace_state.hpp"

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// Which span of a trace is within which. Spans that are named as a parent only are there too. Of spans that are within
/// each other in a circle one counts as the outermost. O(n log n) to make, in time and memory; the state outlives it
/// and does not change.
class SpanTree {
 public:
  explicit SpanTree(TraceState const& state);

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Node {
    std::string_view span = {};
    SpanFacts const* facts = nullptr;  ///< null: it is not known
    std::size_t parent = none;         ///< its place
    std::size_t root = none;           ///< that of the outermost span around it, or of itself
    std::size_t depth = 0;             ///< spans above it
    std::size_t end = 0;               ///< the place behind the last span within it
  };

  /// Each before those within it, which follow it up to `end`.
  [[nodiscard]] std::vector<Node> const& nodes() const noexcept { return nodes_; }
  /// The place of a span, or `none`. O(log n).
  [[nodiscard]] std::size_t find(std::string_view span) const;
  /// Whether `inner` is within `outer`, or within one that is.
  [[nodiscard]] bool is_within(std::size_t inner, std::size_t outer) const;
  /// The innermost span around both, neither of which it is, or `none`. O(1).
  [[nodiscard]] std::size_t innermost(std::size_t one, std::size_t other) const;
  /// How many spans are around both. O(1).
  [[nodiscard]] std::size_t common(std::size_t one, std::size_t other) const;

 private:
  std::vector<Node> nodes_;
  std::map<std::string_view, std::size_t> places_;
  [[nodiscard]] std::size_t highest(std::size_t one, std::size_t other) const;

  std::vector<std::vector<std::size_t>> highest_;  // by n and place: the highest of the 2^n nodes from there
};

}  // namespace whence::net::capture
