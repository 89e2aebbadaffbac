#pragma once
// Ancestors or descendants with their weights, in the order of results; shared by lineage, its graph form and diff.

#include "graph/walks/walk.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whence::queries {

/// Which of the reached nodes are returned. All are walked through.
struct NodeFilter {
  std::optional<schema::RecordTypeSet> node_types = {};
  std::optional<TimeRange> between = {};
  std::optional<double> min_weight = {};
};

[[nodiscard]] bool passes(Snapshot const& snapshot, NodeFilter const& filter, VertexId vertex, double weight);

struct LineageWalk {
  std::vector<RankedNode> nodes = {};  ///< by depth, then weight (largest first), then ref; the start is not among them
  /// Of a walk of columns, by the number of a version: those of its columns that rest on the one asked for. Of what
  /// rests on it whole nothing.
  std::map<std::uint32_t, std::set<std::string>> columns = {};
  /// Where asked for: the deleted vertices that the walk would have met, whatever the filter; by ref, each ref once.
  std::vector<VertexId> dangling = {};
  graph::CutRelations cut = {};  ///< what a cycle of influence kept the walk from following
  bool is_cut_by_depth = false;
  bool is_cut_by_vertices = false;
};

/// Takes over what a walk could not follow: its result lacks what those relations lead to beyond it.
template <class Found>
void take_cut(graph::CutRelations&& cut, Found& found) {
  if (cut.lead_beyond && found.incomplete != Incomplete::nodes) found.incomplete = Incomplete::cycle_cut;
  if (found.cut.empty()) {
    found.cut = std::move(cut.relations);
  } else {
    found.cut.insert(found.cut.end(), cut.relations.begin(), cut.relations.end());
    std::ranges::sort(found.cut, {}, &graph::CutRelation::edge);
    auto const is_same = [](graph::CutRelation const& a, graph::CutRelation const& b) { return a.edge == b.edge; };
    found.cut.erase(std::unique(found.cut.begin(), found.cut.end(), is_same), found.cut.end());
  }
}

/// Walks from `start` and ranks what passes `filter`. `value` is the largest product of weights over all paths within
/// the limits. `gathers_dangling` costs nothing where nothing was ever deleted, else O(1) a vertex reached and O(edges)
/// for those beside deleted ones; relations that were cut likewise cost nothing where there are none.
[[nodiscard]] Result<LineageWalk> walk_lineage(Snapshot const& snapshot, VertexId start, graph::Direction direction,
                                               graph::WalkLimits const& limits, NodeFilter const& filter,
                                               schema::Interrupt const& interrupt, bool gathers_dangling = false);

/// As `walk_lineage` without a filter. Besides, towards the ancestors a relation leads from its `from` end (a part,
/// what is said of another) to its `to` end (the whole, the other), towards the descendants the other way round; it
/// counts as an edge without weight. Relations may close circles: both directions may reach one node. O(edges reached),
/// times the depth at most. Fails as the interrupt says.
[[nodiscard]] Result<LineageWalk> walk_surroundings(Snapshot const& snapshot, VertexId start,
                                                    graph::Direction direction, graph::WalkLimits const& limits,
                                                    schema::Interrupt const& interrupt);

}  // namespace whence::queries
