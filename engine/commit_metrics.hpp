#pragma once
// How long durable commits take, counted by the writer and read by anyone.

#include "engine/engine.hpp"

#include <algorithm>
#include <mutex>

namespace whence::engine {

/// A histogram over `commit_bucket_bounds`. Any thread may call any member.
class CommitMetrics {
 public:
  CommitMetrics() { metrics_.commit_seconds_buckets.resize(commit_bucket_bounds.size() + 1); }

  void count(double seconds) {
    std::lock_guard const lock(mutex_);
    ++metrics_.commits;
    metrics_.commit_seconds_sum += seconds;
    auto const first = std::lower_bound(commit_bucket_bounds.begin(), commit_bucket_bounds.end(), seconds);
    auto& buckets = metrics_.commit_seconds_buckets;
    for (auto i = first - commit_bucket_bounds.begin(); i < std::ssize(buckets); ++i) {
      ++buckets[static_cast<std::size_t>(i)];
    }
  }

  [[nodiscard]] EngineMetrics read() const {
    std::lock_guard const lock(mutex_);
    return metrics_;
  }

 private:
  mutable std::mutex mutex_;
  EngineMetrics metrics_;
};

}  // namespace whence::engine
