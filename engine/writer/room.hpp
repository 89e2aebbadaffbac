#pragma once
// Whether writes are refused for want of room: set by the writer's thread, read by any.

#include "store/files/files.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

namespace whence::engine {

/// Called on the writer thread when a write was refused for want of room and the one before was not, with the reason,
/// and with nothing when one has gone through again. Must not block or throw.
using RoomReport = std::function<void(std::optional<store::NoRoom> why)>;

/// `set` belongs to the writer's thread.
class Room {
 public:
  /// Before the first `set`.
  void on_change(RoomReport report) { report_ = std::move(report); }

  void set(std::optional<store::NoRoom> why) {
    auto const before = why_.exchange(why ? static_cast<int>(*why) : none);
    if (report_ && (before != none) != why.has_value()) report_(why);
  }

  /// Why the last write was refused; nothing where it went through.
  [[nodiscard]] std::optional<store::NoRoom> read() const noexcept {
    auto const why = why_.load();
    return why == none ? std::nullopt : std::optional{static_cast<store::NoRoom>(why)};
  }

 private:
  static constexpr int none = -1;
  std::atomic<int> why_ = none;
  RoomReport report_;
};

}  // namespace whence::engine
