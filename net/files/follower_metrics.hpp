#pragma once
// How the files of discussions follow the store, in numbers.

#include <cstdint>

namespace whence::net {

/// How often files were written, and what is left to do.
struct FollowerMetrics {
  std::uint64_t written = 0;      ///< attempts that found the files up to date or brought them there
  std::uint64_t failed = 0;       ///< attempts that failed
  std::uint64_t edited = 0;       ///< attempts that found a file that somebody edited, and kept it
  std::uint64_t out_of_sync = 0;  ///< contexts loaded whose token count was not the file's
  std::uint64_t behind = 0;       ///< discussions that wait now: for their turn, or after a failure
};

}  // namespace whence::net
