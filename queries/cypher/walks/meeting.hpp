#pragma once
// One shortest path between two nodes, searched from both.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries::cypher {

/// Two walks in breadth, along the pattern from its start and against it from its end; each time the one with fewer
/// nodes to go on from takes a step, until one meets what the other has found.
class Meeting {
 public:
  /// A shortest path of at least one relation; none where there is none within the pattern's bounds, or the run has
  /// failed. The ends differ. O(V + E) of what both walks look at, 24 bytes a node found.
  [[nodiscard]] std::optional<Path> find(Expansion const& expansion, RunState& state, std::uint64_t from,
                                         std::uint64_t to);

 private:
  struct Found {
    std::uint32_t node;
    std::uint32_t by;        ///< the place of the node before it; of the first its own
    std::uint64_t relation;  ///< that leads from there
    bool is_from_before;     ///< the relation is stored from the node before
  };
  struct Side {
    Direction direction = Direction::any;
    std::vector<Found> found = {};
    NodeBits seen = {};
    std::size_t front = 0;  ///< where the last layer begins

    [[nodiscard]] std::size_t front_size() const noexcept { return found.size() - front; }
  };
  struct Met {
    Found last;          ///< found by one side, its `by` a place there
    std::uint64_t node;  ///< where it met the other
  };

  [[nodiscard]] std::optional<Path> search(Expansion const& expansion, RunState& state, std::uint64_t from,
                                           std::uint64_t to);
  [[nodiscard]] std::optional<Met> step(Expansion const& expansion, RunState& state, Side& side, Side const& other);
  [[nodiscard]] Path path(Expansion const& expansion, bool is_forward, Met const& met) const;
  void look(Expansion const& expansion, std::uint64_t node, Direction direction);

  std::array<Side, 2> sides_;
  std::uint64_t held_ = 0;
  std::vector<RelationEnds> ends_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace whence::queries::cypher
