#pragma once
// trace: from a record that was extracted from a response back to what the response was made from.

#include "queries/lineage/member_edge.hpp"
#include "queries/lineage/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"

#include <vector>

namespace whence::queries {

/// The sources of a keyword, a subject or a summary.
struct Trace {
  VertexId start;
  std::vector<VertexId> nodes = {};    ///< attachments, then responses, then context units, each by ref
  std::vector<MemberEdge> edges = {};  ///< places count the nodes, then the start
  /// The attachments it came from that are not there: deleted, or named and never recorded; by ref.
  std::vector<NodeRef> dangling = {};
};

/// Fails with `not_found` at "/ref", with `invalid_params` ("type") on a node of another type, with `corrupt`, or as
/// the interrupt says. O(edges of the nodes found).
[[nodiscard]] Result<Trace> trace(View const& view, TraceParams const& params, Budget const& budget);

/// The start and the nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(Trace const& trace);

}  // namespace whence::queries
