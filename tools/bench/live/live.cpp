// Subscriptions over loopback, each server in its own process.

#include "tools/bench/live/parts.hpp"
#include "tools/bench/parts.hpp"

namespace whence::bench {

void run_live(Options const& options) {
  run_live_replay(options);
  run_live_rate(options);
  run_live_idle(options);
  run_live_slow(options);
}

}  // namespace whence::bench
