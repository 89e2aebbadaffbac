#pragma once
// What `live` measures; each function prints its own rows.

#include "tools/bench/report.hpp"

#include <string>

namespace whence::bench {

void run_live_replay(Options const& options);    ///< the past to one subscriber, beside bare Beast and JetStream
void run_live_rate(Options const& options);      ///< what is being written, to one subscriber
void run_live_standing(Options const& options);  ///< commits beside a thousand subscriptions they do not touch
void run_live_slow(Options const& options);      ///< delivery beside readers that do not read

/// "reached" or "missed".
[[nodiscard]] inline std::string verdict(bool is_reached) {
  return is_reached ? "reached" : "missed";
}

}  // namespace whence::bench
