#pragma once
// Cycles among the relations of PROV documents, and where they are cut: the same whenever the same is written, in
// whatever order a document has it.

#include "graph/snapshot/snapshot.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The relations to cut among `relations` of new `rows`, by their places in the list: back edges of a search that
/// follows the names of the records and relations, so that the order in which they were given makes no difference.
[[nodiscard]] std::vector<std::size_t> find_cut_relations(std::span<store::VertexRow const> rows,
                                                          std::span<LocalRelation const> relations);

/// A further edge of a known node, which makes `cause` a cause of it.
struct NewCause {
  schema::VertexId effect;
  schema::VertexId cause;
};

/// Those of `causes`, by their places in the list, that close a cycle with what is known, with the new `rows` and with
/// the others before them in the list. Which relation of a cycle across documents is cut so depends on which came last
/// (engine/README.md). Where very many could close one, some that would not have are among them. O(ancestors of the
/// causes).
[[nodiscard]] std::vector<std::size_t> find_closing(graph::Snapshot const& known,
                                                    std::span<store::VertexRow const> rows,
                                                    std::span<NewCause const> causes);

/// Gives those edges of a known PROV node that would close a cycle the type without influence. `edges[i]` are new
/// edges of `owners[i]`. Which those are depends on the names alone, not on the order of the relations. Calls
/// `tell(owner, edge)` for each.
void cut_closing(graph::Snapshot const& known, std::span<store::VertexRow const> rows,
                 std::span<schema::VertexId const> owners, std::span<std::vector<store::RowEdge>* const> edges,
                 std::function<void(std::size_t owner, std::size_t edge)> const& tell);

/// Gives such relations the type without influence, among the new rows of one transaction, which begin at `first`.
void cut_prov_cycles(std::span<store::VertexRow> rows, std::uint32_t first);

}  // namespace whence::engine
