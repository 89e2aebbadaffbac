// Destruction of chains of epochs.
#include "graph/storage/epoch.hpp"

#include <utility>

namespace whence::graph {

Epoch::~Epoch() {
  // The destructor of an epoch whose owner is being destroyed hands its successor to the outermost call on this thread
  // instead of descending into it: a snapshot held for a day may keep a million epochs. (Asking `use_count() == 1`
  // would do without the queue, but that load orders nothing, and the successor's contents would be read unordered.)
  thread_local std::vector<std::shared_ptr<Epoch>>* outermost = nullptr;
  if (!next) return;
  if (outermost != nullptr) {
    outermost->push_back(std::move(next));
    return;
  }
  std::vector<std::shared_ptr<Epoch>> waiting;
  waiting.push_back(std::move(next));
  outermost = &waiting;
  while (!waiting.empty()) {
    auto const epoch = std::move(waiting.back());
    waiting.pop_back();
  }
  outermost = nullptr;
}

}  // namespace whence::graph
