#pragma once
// Messages and ratings that came as log records.

#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace whence::net::capture {

/// How many messages a request had so far of each call and moment: their order is that of the request.
struct Moment {
  std::uint32_t next = 0;
  std::unordered_map<std::size_t, std::uint32_t> equal = {};  // by hash: messages that say the same
};
using Places = std::map<std::pair<SpanName, Nanos>, Moment>;

/// Adds what a log record says, else counts it as dropped. `places` are those of its request. Times of ratings that are
/// ahead of `now` within `ahead_max` are cut to it.
void read_log(LogRecord const& log, Nanos now, Places& places, Captured& out);

}  // namespace whence::net::capture
