#pragma once
// The Prometheus text format 0.0.4: samples collected by metric, each metric with its head once.

#include "net/metrics/catalogue.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace whence::net {

/// Samples in the order in which they were added, below the head of their metric. Belongs to one thread.
class Exposition {
 public:
  /// What is added from now on is of the store of this namespace; empty: of the store at the root.
  void enter(std::string_view namespace_name);

  /// `labels` are the values of the metric's labels, in their order. O(length).
  void add(Metric metric, std::uint64_t value, std::initializer_list<std::string_view> labels = {});
  void add(Metric metric, double value, std::initializer_list<std::string_view> labels = {});

  /// `counts` are those up to each of `bounds` and all, cumulative: one more than bounds.
  void add_histogram(Metric metric, std::span<double const> bounds, std::span<std::uint64_t const> counts, double sum,
                     std::initializer_list<std::string_view> labels = {});

  /// All metrics of `scope` and below: of the process and the stores, or of stores alone. A metric without a sample has
  /// its head all the same, so that the page documents itself.
  [[nodiscard]] std::string text(MetricScope scope = MetricScope::process) const;

 private:
  void add_text(Metric metric, std::string_view suffix, std::initializer_list<std::string_view> labels,
                std::string_view bound, std::string_view value);

  std::string namespace_ = {};
  std::array<std::string, metric_count> samples_ = {};
};

}  // namespace whence::net
