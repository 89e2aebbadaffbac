#pragma once
// What the stream's consumer has delivered, until the writer takes it.

#include "schema/base/ids.hpp"
#include "store/replicated/group_parts.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace whence::store {

/// What the headers of a message say: which part of which group, and the head before and after the group.
struct MessageLabel {
  PartName part;
  schema::TxId base;
  schema::TxId head;
};

/// Any thread may call any member.
class NatsArrivals {
 public:
  struct Arrived {
    std::uint64_t sequence;
    std::optional<MessageLabel> label;  ///< nothing: no node has written it
    std::vector<std::byte> bytes;
  };

  /// What is not taken holds about so much at most; then the server waits.
  static constexpr std::size_t bytes_max = std::size_t{64} << 20;

  /// Waits while there is too much; drops the message once closed.
  void put(Arrived arrived) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || bytes_ < bytes_max; });
    if (is_closed_) return;
    bytes_ += arrived.bytes.size();
    waiting_.push_back(std::move(arrived));
    changed_.notify_all();
  }

  [[nodiscard]] std::optional<Arrived> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (waiting_.empty() && wait.count() == 0) return std::nullopt;
    if (!changed_.wait_for(lock, wait, [&] { return !waiting_.empty(); })) return std::nullopt;
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= first.bytes.size();
    changed_.notify_all();
    return first;
  }

  void close() {
    std::lock_guard const lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Arrived> waiting_;
  std::size_t bytes_ = 0;
  bool is_closed_ = false;
};

}  // namespace whence::store
