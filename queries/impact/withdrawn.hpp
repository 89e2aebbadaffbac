#pragma once
// What some nodes reach, and what of it goes if they had not been there: for `impact.without` and `impact.replay_plan`.

#include "graph/shares/withdrawal.hpp"
#include "graph/walks/walk.hpp"
#include "queries/impact/params.hpp"
#include "queries/impact/source_kinds.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <optional>
#include <vector>

namespace whence::queries {

struct Withdrawn {
  std::vector<VertexId> starts;  ///< each once, ascending
  graph::WalkLimits limits;
  graph::Reach reach;  ///< of the starts, towards the descendants
  SourceKinds kinds;   ///< of the causes of what is reached
  graph::Withdrawal withdrawal;
};

/// Fails with `not_found` at each unknown "/refs/N", with `corrupt`, or as the interrupt says. O(V + E) of the part
/// reached and its causes.
[[nodiscard]] Result<Withdrawn> withdraw_refs(View const& view, std::vector<NodeRef> const& refs,
                                              std::optional<std::vector<schema::Basis>> const& basis,
                                              Budget const& budget);

/// The same of vertices.
[[nodiscard]] Result<Withdrawn> withdraw_vertices(View const& view, std::vector<VertexId> starts,
                                                  std::optional<std::vector<schema::Basis>> const& basis,
                                                  Budget const& budget);

/// Whether the answer half of an act is left out: its response is there.
[[nodiscard]] bool is_told_by_response(Snapshot const& snapshot, VertexId vertex);

}  // namespace whence::queries
