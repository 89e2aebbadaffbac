#pragma once
// Finds the newest of consecutive versions in logarithmic time.

#include <cstdint>

namespace whence::schema {

/// The highest version for which `exists(version)`; 0 where not even version 1 does. Versions have no gaps. Asks
/// O(log answer) times.
template <class Exists>
[[nodiscard]] std::int64_t latest_version(Exists const& exists) {
  std::int64_t above = 1;
  while (exists(above)) above *= 2;
  std::int64_t low = above / 2;
  while (above - low > 1) {
    auto const middle = low + (above - low) / 2;
    (exists(middle) ? low : above) = middle;
  }
  return low;
}

}  // namespace whence::schema
