#pragma once
// Which of the waiting requests may be written together.

#include "engine/intake/intake.hpp"

#include <algorithm>
#include <iterator>
#include <variant>
#include <vector>

namespace whence::engine {

/// Refusing a history rolls back its group, and contents are removed from what is durable, so each is a group of its
/// own.
[[nodiscard]] inline bool is_alone(Request const& request) {
  auto const& step = request.batch.step;
  return std::holds_alternative<History>(step) || std::holds_alternative<ContentRemoval>(step) ||
         std::holds_alternative<PurgeConfirming>(step);
}

/// Takes the requests before the first that is written alone; empty where that is the first.
[[nodiscard]] inline std::vector<Request> take_sociable(std::vector<Request>& waiting) {
  auto const end = std::ranges::find_if(waiting, is_alone);
  std::vector<Request> taken(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
  waiting.erase(waiting.begin(), end);
  return taken;
}

/// Takes the first request where it is written alone, else all before the next that is.
[[nodiscard]] inline std::vector<Request> take_turn(std::vector<Request>& waiting) {
  if (!is_alone(waiting.front())) return take_sociable(waiting);
  std::vector<Request> taken;
  taken.push_back(std::move(waiting.front()));
  waiting.erase(waiting.begin());
  return taken;
}

}  // namespace whence::engine
