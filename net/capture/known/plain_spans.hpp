#pragma once
// Spans of other kinds that came lately.

#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <deque>
#include <map>

namespace whence::net::capture {

/// Spans of other kinds that came lately: where something of ours is below one that came before it, it is a link in the
/// chain of parents. For one thread at a time.
class PlainSpans {
 public:
  /// Keeps a span until 50,000 others have come.
  void add(PlainSpan span);
  /// Null where it is not known. Until the next `add`.
  [[nodiscard]] PlainSpan const* find(SpanName const& name) const;

 private:
  static constexpr std::size_t spans_max = 50'000;
  std::map<SpanName, PlainSpan> spans_;
  std::deque<SpanName> order_;
};

}  // namespace whence::net::capture
