#pragma once
// What the system says of this process.

#include <cstdint>
#include <optional>

namespace whence::net {

struct ProcessFigures {
  double start_s = 0;  ///< since 1970
  double cpu_s = 0;    ///< of all threads, user and system
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
};

/// Reads /proc. Nothing where it is not there. O(open descriptors): some microseconds a thousand.
[[nodiscard]] std::optional<ProcessFigures> process_figures();

}  // namespace whence::net
