#pragma once
// How the versions of a topic's summary make its text.

#include "graph/snapshot/snapshot.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>

namespace whence::queries {

/// Whether a version was made from a response, and added to those before it; a client's replaced them.
[[nodiscard]] inline bool adds_to_summary(graph::Snapshot const& snapshot, schema::VertexId version) {
  auto const causes = snapshot.causes_ever(version);
  return std::ranges::any_of(
      causes.edges, [&](schema::EdgeId edge) { return snapshot.type(edge) == schema::EdgeType::extracted_from; });
}

/// Names in `summary` a version whose part of the text is gone.
inline void note_gone_part(graph::Snapshot const& snapshot, schema::VertexId version, graph::GoneWhy why,
                           schema::Summary& summary) {
  auto& names = why == graph::GoneWhy::purged ? summary.purged_versions : summary.expired_versions;
  if (!names) names.emplace();
  names->emplace_back(snapshot.id(version));
}

}  // namespace whence::queries
