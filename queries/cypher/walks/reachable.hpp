#pragma once
// The nodes at the end of paths of a variable length, each once.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"
#include "queries/cypher/walks/circle_search.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries::cypher {

/// The walk of an operator `Reach`: the graph's own where it has one, else in breadth with a bitmap. To another node
/// than the start the shortest walk is a path; back to the start a walk along undirected relations may be none, since a
/// path may not go back along the relation it came by (`CircleSearch`).
class Reachable {
 public:
  /// Nodes in breadth from `start`, which is among them where a path of no relation counts, or on a circle. Ends at
  /// `wanted`, if it is given, as the last one. Incomplete where the run has failed.
  [[nodiscard]] std::vector<std::uint32_t> const& from(Expansion const& expansion, RunState& state, std::uint64_t start,
                                                       std::optional<std::uint64_t> wanted = std::nullopt);

 private:
  [[nodiscard]] bool walk(Expansion const& expansion, RunState& state, std::uint64_t start, std::uint64_t wanted);

  NodeBits seen_;
  std::optional<CircleSearch> circle_;  ///< once a walk asks whether its start lies on one
  std::vector<std::uint32_t> reached_;
  std::vector<std::uint32_t> found_;
  std::vector<std::uint64_t> relations_;
};

}  // namespace whence::queries::cypher
