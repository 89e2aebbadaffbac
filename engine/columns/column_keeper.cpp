#include "engine/columns/column_keeper.hpp"

#include "engine/values/priority.hpp"

#include <chrono>

namespace whence::engine {
namespace {

using namespace std::chrono_literals;

/// Between two looks: many small writes are read together.
constexpr auto pause_between = 10ms;
constexpr int columns_niceness = 10;

}  // namespace

void ColumnKeeper::start() {
  thread_ = std::jthread{[this](std::stop_token const& stop) { keep(stop); }};
}

void ColumnKeeper::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void ColumnKeeper::wake() {
  {
    std::scoped_lock const lock{sleeping_};
    if (is_behind_) return;
    is_behind_ = true;
  }
  wakes_.notify_one();
}

void ColumnKeeper::keep(std::stop_token const& stop) {
  work_behind_others(columns_niceness);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock{sleeping_};
      if (!wakes_.wait(lock, stop, [this] { return is_behind_; })) return;
      is_behind_ = false;
    }
    guard_.run([&] { static_cast<void>(columns_.follow(graph_.snapshot(), records_, stop)); });
    std::unique_lock lock{sleeping_};
    wakes_.wait_for(lock, stop, pause_between, [] { return false; });
  }
}

}  // namespace whence::engine
