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

/// The back edges among `relations`, by their places in the list: without them no cycle is left. They are those of a
/// depth-first search that begins at the earliest record and follows relations in their order. `relations` are sorted
/// by effect. O(count + relations).
[[nodiscard]] std::vector<std::size_t> find_back_relations(std::size_t count, std::span<LocalRelation const> relations);

/// Gives such relations the type without influence, among the new rows of one transaction, which begin at `first`.
void cut_prov_cycles(std::span<store::VertexRow> rows, std::uint32_t first);

}  // namespace whence::engine
