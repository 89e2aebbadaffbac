#pragma once
// Which way a walk goes, and how far.

#include "schema/types/edge_type.hpp"

#include <cstdint>
#include <limits>

namespace whence::graph {

enum class Direction : std::uint8_t { ancestors, descendants };

[[nodiscard]] constexpr Direction opposite_of(Direction direction) noexcept {
  return direction == Direction::ancestors ? Direction::descendants : Direction::ancestors;
}

inline constexpr std::uint32_t depth_unbounded = std::numeric_limits<std::uint32_t>::max();

struct WalkLimits {
  std::uint32_t depth = depth_unbounded;  ///< edges from the nearest start
  schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all();
  std::uint64_t vertices_max = std::numeric_limits<std::uint64_t>::max();
  bool has_roles = false;  ///< of shares: instructions and questions have their part too
  bool is_alone = false;   ///< on the calling thread only, also where cores are free; the answer is the same
};

}  // namespace whence::graph
