#pragma once
// The references of a batch's records: each must resolve, and none may close a cycle of influence.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/values/helper.hpp"
#include "store/rows/graph_row.hpp"

#include <vector>

namespace whence::engine {

/// The rows of the new candidates with the edges of their references. Reports `unknown_reference` (at the reference)
/// and `cycle` (at the reference that closes it), and warns of deprecated units that a new response uses. A PROV
/// relation that would close a cycle becomes an edge without influence, with the warning `prov_cycle`. `helper` takes
/// a half of a large batch.
[[nodiscard]] std::vector<store::VertexRow> resolve_references(Candidates const& candidates, Helper& helper,
                                                               Findings& findings);

}  // namespace whence::engine
