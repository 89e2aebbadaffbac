#pragma once
// trace: from a record back to what it was made from.

#include "graph/walks/walk.hpp"
#include "queries/lineage/member_edge.hpp"
#include "queries/lineage/params.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <vector>

namespace whence::queries {

/// The sources of a node.
struct Trace {
  VertexId start;
  /// Of a keyword, a subject or a summary: attachments, then responses, then context units, each by ref. Of any other
  /// node its ancestors, in the order of `lineage.ancestors`.
  std::vector<VertexId> nodes = {};
  std::vector<MemberEdge> edges = {};  ///< places count the nodes, then the start
  /// Of a keyword, a subject or a summary: the attachments it came from that are not there, deleted or named and never
  /// recorded. Of any other node: what the walk would have met and is deleted. By ref.
  std::vector<NodeRef> dangling = {};
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Fails with `not_found` at "/ref", with `corrupt`, or as the interrupt says. O(edges of the nodes found).
[[nodiscard]] Result<Trace> trace(View const& view, TraceParams const& params, Budget const& budget);

/// The start and the nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(Trace const& trace);

}  // namespace whence::queries
