#pragma once
// How often each node of a graph was met by one thread, and what several threads met together.

#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries::cypher {

/// Counts nodes of relations that are read part by part. May throw `std::bad_alloc`; then its counts are worth nothing.
class TargetTally {
 public:
  /// What a tally of a graph takes: counts, the nodes that were met, a bit in `MetTargets`.
  [[nodiscard]] static std::uint64_t bytes_for(PropertyGraph const& graph) {
    return graph.node_bound() * (sizeof(Count) + sizeof(std::uint32_t)) + graph.node_bound() / 8;
  }

  [[nodiscard]] bool is_ready() const noexcept { return !counts_.empty(); }
  /// Room for nodes below `bound`; before the first part.
  void prepare(std::uint64_t bound) { counts_.resize(bound); }
  /// The nodes that are added from now on are of this part. Each part has a higher number than the one before.
  void begin(std::size_t part);
  void add(std::span<std::uint32_t const> nodes);
  /// What it takes beyond `bytes_for`, and `MetTargets` for it: parts, and what does not fit in the counts.
  [[nodiscard]] std::uint64_t more_bytes() const noexcept {
    return sections_.size() * (sizeof(Section) + 3 * sizeof(std::size_t)) + 2 * carries_.size() * sizeof(std::uint32_t);
  }

 private:
  friend class MetTargets;

  /// A byte for each node: most counts are small, and the fewer bytes the more of them are in the processor's cache.
  using Count = std::uint8_t;
  /// What is taken out of a count that would pass it, and noted.
  static constexpr Count carried = 254;

  struct Section {
    std::size_t part;
    std::size_t begin;  ///< in `met_`, up to the next one's
  };

  std::vector<Count> counts_;           ///< by node
  std::vector<std::uint32_t> met_;      ///< nodes whose count is not 0, in the order of meeting
  std::vector<Section> sections_;       ///< of `met_`
  std::vector<std::uint32_t> carries_;  ///< nodes, each as often as `carried` was taken out of its count
};

/// What tallies of different parts met together: each node once, in the order in which it is first met when the parts
/// are read one after the other, whichever tally has which part. Takes the counts out of the tallies.
class MetTargets {
 public:
  explicit MetTargets(std::span<TargetTally> tallies);

  /// Calls `visit(node, count)` until that returns false.
  template <class Visit>
  void each(Visit const& visit) {
    for (auto const& section : sections_) {
      for (auto const node : section.nodes) {
        auto const count = take(node);
        if (count > 0 && !visit(node, count)) return;
      }
    }
  }

 private:
  struct Section {
    std::size_t part;
    std::span<std::uint32_t const> nodes;
  };

  /// How often the node was met; 0 the next time.
  [[nodiscard]] std::uint64_t take(std::uint32_t node) noexcept;

  std::span<TargetTally> tallies_;
  std::vector<Section> sections_;       ///< in the order of the parts
  std::vector<std::uint32_t> carries_;  ///< of all, sorted
  NodeBits has_carries_;                ///< without room where there are none
};

}  // namespace whence::queries::cypher
