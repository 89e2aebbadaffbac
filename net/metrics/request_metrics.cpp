// Counting requests, and the counts as metrics.

#include "net/metrics/request_metrics.hpp"

#include "net/base/errors.hpp"
#include "net/metrics/exposition.hpp"

#include <algorithm>
#include <string>

namespace whence::net {

RequestMetrics::RequestMetrics(std::vector<std::string_view> methods)
    : methods_(std::move(methods)), counts_(methods_.size() + 1) {}

void RequestMetrics::count(std::size_t method, std::optional<Errc> error,
                           std::chrono::steady_clock::duration taken) noexcept {
  auto& of_method = counts_[std::min(method, methods_.size())];
  std::size_t const code = error ? static_cast<std::size_t>(*error) : 0;
  of_method.codes[code].fetch_add(1, std::memory_order_relaxed);
  double const seconds = std::chrono::duration<double>(taken).count();
  auto const bucket = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
  of_method.buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  auto const nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
  of_method.nanos_sum.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(nanos, 0)),
                                std::memory_order_relaxed);
}

std::uint64_t RequestMetrics::busy() const noexcept {
  std::uint64_t all = 0;
  for (auto const& each : counts_) {
    all += each.codes[static_cast<std::size_t>(Errc::busy)].load(std::memory_order_relaxed);
  }
  return all;
}

void RequestMetrics::add_to(Exposition& out) const {
  for (std::size_t method = 0; method < counts_.size(); ++method) {
    auto const& of_method = counts_[method];
    auto const name = method < methods_.size() ? methods_[method] : "unknown";
    for (std::size_t code = 0; code < code_count; ++code) {
      std::uint64_t const n = of_method.codes[code].load(std::memory_order_relaxed);
      if (n == 0) continue;
      auto const number = code == 0 ? std::string{"0"} : std::to_string(wire_code(static_cast<Errc>(code)));
      out.add(Metric::requests, n, {name, number});
    }
    std::array<std::uint64_t, bounds.size() + 1> below = {};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < below.size(); ++i) {
      below[i] = sum += of_method.buckets[i].load(std::memory_order_relaxed);
    }
    if (sum == 0) continue;
    auto const seconds = static_cast<double>(of_method.nanos_sum.load(std::memory_order_relaxed)) / 1e9;
    out.add_histogram(Metric::request_seconds, bounds, below, seconds, {name});
  }
}

}  // namespace whence::net
