#pragma once
// The limit for traversals: breadth-first search over plain 32-bit compressed sparse rows, one core, no snapshots, no
// versions, immutable data.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace whence::bench {

/// A fixed directed graph in both directions.
class Csr {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  ///< cause, effect

  Csr(std::uint32_t vertices, std::vector<Edge> const& edges)
      : effects_(build(vertices, edges, false)), causes_(build(vertices, edges, true)), seen_((vertices + 63) / 64) {}

  /// Vertices reached from `start` within `depth` hops, in order of discovery. The returned view lives until the next
  /// call.
  std::span<std::uint32_t const> reach(std::uint32_t start, bool is_ancestors, std::uint32_t depth) {
    Rows const& rows = is_ancestors ? causes_ : effects_;
    queue_.assign(1, start);
    mark(start);
    std::size_t begin = 0;
    for (std::uint32_t hop = 0; hop < depth && begin < queue_.size(); ++hop) {
      std::size_t const end = queue_.size();
      for (; begin < end; ++begin) {
        std::uint32_t const vertex = queue_[begin];
        for (std::uint32_t at = rows.offsets[vertex]; at < rows.offsets[vertex + 1]; ++at) {
          if (mark(rows.targets[at])) queue_.push_back(rows.targets[at]);
        }
      }
    }
    for (std::uint32_t const vertex : queue_) seen_[vertex / 64] = 0;
    return std::span{queue_}.subspan(1);
  }

  [[nodiscard]] std::span<std::uint32_t const> effects(std::uint32_t vertex) const {
    return std::span{effects_.targets}.subspan(effects_.offsets[vertex],
                                               effects_.offsets[vertex + 1] - effects_.offsets[vertex]);
  }

 private:
  struct Rows {
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> targets;
  };

  static Rows build(std::uint32_t vertices, std::vector<Edge> const& edges, bool is_reversed) {
    Rows rows{std::vector<std::uint32_t>(vertices + 1), std::vector<std::uint32_t>(edges.size())};
    for (auto const& [cause, effect] : edges) ++rows.offsets[(is_reversed ? effect : cause) + 1];
    for (std::uint32_t i = 0; i < vertices; ++i) rows.offsets[i + 1] += rows.offsets[i];
    std::vector<std::uint32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    for (auto const& [cause, effect] : edges) {
      rows.targets[next[is_reversed ? effect : cause]++] = is_reversed ? cause : effect;
    }
    return rows;
  }

  bool mark(std::uint32_t vertex) {
    std::uint64_t const bit = std::uint64_t{1} << (vertex % 64);
    bool const is_new = (seen_[vertex / 64] & bit) == 0;
    seen_[vertex / 64] |= bit;
    return is_new;
  }

  Rows effects_;
  Rows causes_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace whence::bench
