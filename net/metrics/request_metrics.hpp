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
#include <string_view>
#include <vector>

namespace whence::net {

class Exposition;

/// Counters by method and code, and a histogram of latency for each method. Every member may be called from any thread;
/// `count` takes a few relaxed atomic additions. About 400 bytes a method.
class RequestMetrics {
 public:
  /// Upper bounds of the buckets in seconds, 100 µs to 100 s; one more bucket is open above.
  static constexpr std::array<double, 19> bounds = {
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100};

  /// `methods` are the label values, in the order of the indices given to `count`; their text outlives the object.
  explicit RequestMetrics(std::vector<std::string_view> methods);

  /// One request to the method at `method` (an index beyond the list: "unknown") was answered, by a result where
  /// `error` is empty.
  void count(std::size_t method, std::optional<Errc> error, std::chrono::steady_clock::duration taken) noexcept;

  /// How many requests were answered `busy`. O(methods).
  [[nodiscard]] std::uint64_t busy() const noexcept;

  /// Adds both metrics, of methods that were called. The label `code` is 0 for results, else the wire code.
  void add_to(Exposition& out) const;

 private:
  static constexpr std::size_t code_count = static_cast<std::size_t>(Errc::corrupt) + 1;  ///< 0 counts results
  using Counter = std::atomic<std::uint64_t>;

  /// The requests of one method.
  struct OfMethod {
    std::array<Counter, code_count> codes = {};
    std::array<Counter, bounds.size() + 1> buckets = {};
    Counter nanos_sum = 0;
  };

  std::vector<std::string_view> methods_;
  std::vector<OfMethod> counts_;  ///< one more than methods_, for "unknown"
};

}  // namespace whence::net
