#pragma once
// The header `traceparent`: which trace a request belongs to (W3C Trace
// Context, level 1).

#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

struct TraceContext {
  std::string trace = {};   ///< 32 lower-case hex digits, not all 0
  std::string parent = {};  ///< 16: the client's span
  bool is_sampled = false;  ///< the client records this trace

  friend bool operator==(TraceContext const&, TraceContext const&) = default;
};

/// `00-TRACE-SPAN-FLAGS`; of a later version what level 1 knows of it. Nothing
/// where it is malformed: then the request begins a trace of its own, as the
/// recommendation wants it.
[[nodiscard]] std::optional<TraceContext> parse_traceparent(std::string_view header);

}  // namespace whence::net
