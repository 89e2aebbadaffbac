#pragma once
// Counts and latencies of requests: `whence_requests_total` and `whence_request_seconds`.

#include "schema/base/error.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// Counters by method and code, and one histogram of latency. Every member may be called from any thread; `count` takes
/// a few relaxed atomic additions.
class RequestMetrics {
 public:
  /// Upper bounds of the histogram's buckets in seconds; one more bucket is open above.
  static constexpr std::array<double, 14> bounds = {0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                    0.03,    0.1,     0.3,    1,      3,     10,    30};

  /// `methods` are the label values, in the order of the indices given to `count`; their text outlives the object.
  explicit RequestMetrics(std::vector<std::string_view> methods);

  /// One request to the method at `method` (an index beyond the list: "unknown") was answered, by a result where
  /// `error` is empty.
  void count(std::size_t method, std::optional<Errc> error, std::chrono::steady_clock::duration taken) noexcept;

  /// Appends both metrics in the Prometheus text format (0.0.4). The label `code` is 0 for results, else the wire code.
  void append_to(std::string& out) const;

 private:
  static constexpr std::size_t code_count = static_cast<std::size_t>(Errc::corrupt) + 1;  ///< 0 counts results
  using Counter = std::atomic<std::uint64_t>;

  std::vector<std::string_view> methods_;
  std::vector<std::array<Counter, code_count>> counts_;  ///< one more than methods_, for "unknown"
  std::array<Counter, bounds.size() + 1> buckets_ = {};
  Counter nanos_sum_ = 0;
};

}  // namespace whence::net
