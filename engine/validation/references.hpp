#pragma once
// What a batch's records refer to: every reference resolves, none closes a cycle of influence.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "store/rows/graph_row.hpp"

#include <vector>

namespace whence::engine {

/// The rows of the new candidates with the edges their references draw. Reports `unknown_reference` (at the reference)
/// and `cycle` (at the reference that closes it), and warns of deprecated units that a new response uses. A relation of
/// PROV that would close a cycle is drawn without influence, with the warning `prov_cycle`.
[[nodiscard]] std::vector<store::VertexRow> resolve_references(Candidates const& candidates, Findings& findings);

}  // namespace whence::engine
