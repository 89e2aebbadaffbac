// Random pauses.

#include "tools/cli/transport/pauses.hpp"

#include <algorithm>

namespace whence::tools {

std::chrono::milliseconds WatchPauses::next() {
  std::uniform_int_distribution<std::chrono::milliseconds::rep> distribution{ceiling_.count() / 2, ceiling_.count()};
  ceiling_ = std::min(2 * ceiling_, longest);
  return std::chrono::milliseconds{distribution(random_)};
}

}  // namespace whence::tools
