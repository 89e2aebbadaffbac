#pragma once
// When a record happened, as far as anybody knows.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/time.hpp"

namespace whence::queries {

/// The record's own time, or where it has none that of the transaction which wrote it.
[[nodiscard]] inline schema::Time time_or_commit(graph::Snapshot const& snapshot, graph::VertexId vertex) {
  auto const own = snapshot.time(vertex);
  return own ? *own : snapshot.committed_at(snapshot.created(vertex));
}

}  // namespace whence::queries
