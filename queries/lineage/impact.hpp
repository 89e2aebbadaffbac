#pragma once
// lineage.influence and impact.analyze: the shares of causes in an effect, seen from the effect and from the cause.

#include "graph/walks/walk.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace whence::queries {

/// The ancestors of a node and their shares in it.
struct Influence {
  std::vector<WeighedNode> nodes = {};       ///< in the order asked for, then ref
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// How many affected nodes there are of each type and at each least depth.
struct ImpactCounts {
  std::array<std::uint64_t, schema::record_type_count> by_type = {};  ///< by the number of the type
  std::map<std::uint32_t, std::uint64_t> by_depth = {};
};

/// The nodes of the impact types that descend from some starts.
struct Impact {
  std::vector<VertexId> starts = {};    ///< each once, in order of commit
  std::vector<WeighedNode> nodes = {};  ///< in the order asked for, then ref
  ImpactCounts counts = {};
  std::map<VertexId, VertexId> dominators = {};  ///< where asked for: of the nodes that have one, the nearest
  std::vector<graph::CutRelation> cut = {};      ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Fails with `not_found` at "/ref", or as the interrupt says. O(V + E) of the part reached plus sorting.
[[nodiscard]] Result<Influence> lineage_influence(View const& view, InfluenceParams const& params,
                                                  Budget const& budget);

/// A start that another start affects is not among the nodes. Fails with `not_found` at each unknown "/refs/N", or as
/// the interrupt says. O(V + E) of the part reached plus sorting.
[[nodiscard]] Result<Impact> impact_analyze(View const& view, ImpactParams const& params, Budget const& budget);

/// The starts and the nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(Impact const& impact);

}  // namespace whence::queries
