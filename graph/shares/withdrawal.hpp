#pragma once
// What would be left if some vertices had not been there: what falls with them, and how much of the rest goes.

#include "graph/walks/walk.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::graph {

/// What a cause is to its effects. Those of one kind may stand for one another, those of different kinds may not.
enum class CauseKind : std::uint8_t { evidence, instruction, question };
constexpr std::array<std::string_view, 3> enum_names(CauseKind) noexcept {
  return {"evidence", "instruction", "question"};
}
inline constexpr std::size_t cause_kind_count = 3;

/// Parallel to `Reach::vertices`.
struct Withdrawal {
  std::vector<std::uint8_t> has_fallen;   ///< 1 where nothing of some kind is left of what it was made from
  std::vector<double> lost;               ///< the part of it that goes, 0 to 1; 1 of what falls
  std::vector<std::uint32_t> order = {};  ///< places in `Reach::vertices`, causes before their effects
};

/// Withdraws `starts` from what they reach, which is in `reach`, whole, towards the descendants. A vertex falls where
/// it has causes of a kind and all of these are starts or have fallen. Of any other what goes is the sum over its
/// causes of their shares in it times what goes of them. Deleted causes are none, and
/// those of other types of edges than `edge_types`, with which `reach` was made. O(V + E) of the part reached and of
/// the causes of its vertices. Fails as `reach`.
[[nodiscard]] Result<Withdrawal> withdraw(Snapshot const& snapshot, std::span<VertexId const> starts,
                                          Reach const& reach, std::function<CauseKind(VertexId)> const& kind_of,
                                          schema::Interrupt const& interrupt,
                                          schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all());

}  // namespace whence::graph
