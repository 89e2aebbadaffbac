#pragma once
// Whose clocks the times of a trace's spans are of.

#include "net/capture/trace/span_tree.hpp"

#include <cstddef>
#include <vector>

namespace whence::net::capture {

/// Which spans of a trace were timed by different clocks: those of different processes or machines, as their resources
/// say, and those that begin outside of the time of the span around them. Of two such spans the times alone do not say
/// which was first. Of one derivation; the tree outlives it. O(spans) to make.
class Clocks {
 public:
  explicit Clocks(SpanTree const& tree);

  /// Whether the trace has several. Where it has one, times say what was first.
  [[nodiscard]] bool are_several() const noexcept { return are_several_; }
  /// Whether `source` may be over before `call` although its times say otherwise: their clocks differ, they lie within
  /// `ahead_max` of each other, and neither is within the other. All spans between each of them and the nearest around
  /// both are known, and none of those around the one, timed by the other's clock, says otherwise. So it only becomes
  /// true, but where a clock proves to be another. O(depth).
  [[nodiscard]] bool may_precede(std::size_t source, std::size_t call) const;

 private:
  [[nodiscard]] bool differ(std::size_t one, std::size_t other) const;
  [[nodiscard]] bool are_known(std::size_t from, std::size_t to) const;

  SpanTree const& tree_;
  std::vector<bool> is_displaced_;  // by place
  bool are_several_ = false;
};

}  // namespace whence::net::capture
