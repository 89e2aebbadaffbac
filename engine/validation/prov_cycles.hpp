#pragma once
// Cycles among the relations of PROV documents, and where they are cut: the same whenever the same batch is written.

#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::engine {

/// A relation of PROV between new records, by their positions.
struct LocalRelation {
  std::uint32_t effect;  ///< the owner
  std::uint32_t cause;
  std::size_t edge;  ///< in the owner's row
};

/// Those of `relations`, by their places in the list, without which no cycle is left: each leads back to a record from
/// which the walk has come, walks beginning at the earliest record and following relations in their order. `relations`
/// are sorted by effect. O(count + relations).
[[nodiscard]] std::vector<std::size_t> find_back_relations(std::size_t count, std::span<LocalRelation const> relations);

/// Takes the influence of such relations back among the new rows of one transaction, which begin at `first`.
void cut_prov_cycles(std::span<store::VertexRow> rows, std::uint32_t first);

}  // namespace whence::engine
