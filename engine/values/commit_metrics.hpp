#pragma once
// How long durable commits take and which flags their records have, counted by the writer and read by anyone.

#include "schema/records/records.hpp"
#include "schema/types/flags.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <variant>
#include <vector>

namespace whence::engine {

/// Upper bounds in seconds of the histogram of commits; one more bucket counts everything slower.
inline constexpr std::array<double, 12> commit_bucket_bounds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                                                0.05,   0.1,   0.2,   0.5,   1,    5};

/// How often records got each of `schema::all_flags`.
struct FlagCounts {
  std::array<std::uint64_t, schema::all_flags.size()> by_flag = {};

  void count(schema::Record const& record) {
    std::visit([&](auto const& each) { count_of(each); }, record);
  }
  void add(FlagCounts const& other) {
    for (std::size_t i = 0; i < by_flag.size(); ++i) by_flag[i] += other.by_flag[i];
  }

 private:
  template <class T>
  void count_of(T const& record) {
    if constexpr (requires { record.flags; }) {
      for (std::size_t i = 0; i < by_flag.size(); ++i) {
        if (schema::has_flag(record.flags, schema::all_flags[i])) ++by_flag[i];
      }
    }
    if constexpr (requires { record.citations; }) {
      for (auto const& citation : record.citations) count_of(citation);
    }
  }
};

struct EngineMetrics {
  std::uint64_t commits = 0;                               ///< groups made durable
  double commit_seconds_sum = 0;                           ///< spent in making groups durable
  std::vector<std::uint64_t> commit_seconds_buckets = {};  ///< cumulative, one per bound and one for all
  FlagCounts flags = {};                                   ///< of records made durable, their citations included
  std::uint64_t inbox_batches = 0;                         ///< batches that wait for the writer now
  std::uint64_t inbox_bytes = 0;                           ///< memory of these, about
};

/// A histogram over `commit_bucket_bounds`. Any thread may call any member.
class CommitMetrics {
 public:
  CommitMetrics() { metrics_.commit_seconds_buckets.resize(commit_bucket_bounds.size() + 1); }

  void count(double seconds, FlagCounts const& flags) {
    std::lock_guard const lock(mutex_);
    metrics_.flags.add(flags);
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
