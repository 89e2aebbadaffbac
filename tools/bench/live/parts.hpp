#pragma once
// The measurements of `live`; each function prints its own rows.

#include "tools/bench/report.hpp"

#include <string>

namespace whence::bench {

void run_live_replay(Options const& options);  ///< the past to one subscriber, compared with bare Beast and JetStream
void run_live_rate(Options const& options);    ///< live events to one subscriber
void run_live_idle(Options const& options);    ///< commits with a thousand subscriptions that they do not affect
void run_live_slow(Options const& options);    ///< delivery with clients that do not read

/// "reached" or "missed".
[[nodiscard]] inline std::string verdict(bool is_reached) {
  return is_reached ? "reached" : "missed";
}

}  // namespace whence::bench
