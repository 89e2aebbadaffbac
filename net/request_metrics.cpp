// Counting requests, and the counts as Prometheus text.

#include "net/request_metrics.hpp"

#include "net/rpc/errors.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>

namespace whence::net {

namespace {

void append_sample(std::string& out, std::string_view name, std::string_view labels, double value) {
  out.append(name).append(labels).append(" ");
  schema::json::append_number(out, value);
  out.push_back('\n');
}

}  // namespace

RequestMetrics::RequestMetrics(std::vector<std::string_view> methods)
    : methods_(std::move(methods)), counts_(methods_.size() + 1) {}

void RequestMetrics::count(std::size_t method, std::optional<Errc> error,
                           std::chrono::steady_clock::duration taken) noexcept {
  std::size_t const code = error ? static_cast<std::size_t>(*error) : 0;
  counts_[std::min(method, methods_.size())][code].fetch_add(1, std::memory_order_relaxed);
  double const seconds = std::chrono::duration<double>(taken).count();
  auto const bucket = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
  buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  auto const nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
  nanos_sum_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(nanos, 0)), std::memory_order_relaxed);
}

void RequestMetrics::append_to(std::string& out) const {
  out.append(
      "# HELP whence_requests_total Requests answered, by method and code (0: a result).\n"
      "# TYPE whence_requests_total counter\n");
  for (std::size_t method = 0; method < counts_.size(); ++method) {
    for (std::size_t code = 0; code < code_count; ++code) {
      std::uint64_t const n = counts_[method][code].load(std::memory_order_relaxed);
      if (n == 0) continue;
      std::string labels = "{method=\"";
      labels.append(method < methods_.size() ? methods_[method] : "unknown").append("\",code=\"");
      labels.append(code == 0 ? "0" : std::to_string(wire_code(static_cast<Errc>(code)))).append("\"}");
      append_sample(out, "whence_requests_total", labels, static_cast<double>(n));
    }
  }
  out.append(
      "# HELP whence_request_seconds From receipt of a request to its answer.\n"
      "# TYPE whence_request_seconds histogram\n");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    below += buckets_[i].load(std::memory_order_relaxed);
    std::string label = "{le=\"";
    if (i < bounds.size())
      schema::json::append_number(label, bounds[i]);
    else
      label.append("+Inf");
    append_sample(out, "whence_request_seconds_bucket", label.append("\"}"), static_cast<double>(below));
  }
  append_sample(out, "whence_request_seconds_sum", "",
                static_cast<double>(nanos_sum_.load(std::memory_order_relaxed)) / 1e9);
  append_sample(out, "whence_request_seconds_count", "", static_cast<double>(below));
}

}  // namespace whence::net
