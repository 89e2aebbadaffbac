#pragma once
// What a query reads: one snapshot, and the records behind it.

#include "graph/snapshot.hpp"
#include "schema/interrupt.hpp"
#include "schema/record_reader.hpp"

namespace whence::queries {

/// A moment of the graph with the content of its records. A cheap value; the reader outlives it.
struct View {
  graph::Snapshot snapshot;
  schema::RecordReader const* records;
};

/// The bounds of one evaluation.
struct Budget {
  schema::Interrupt const& interrupt;
  std::uint64_t vertices_max;  ///< reached vertices; beyond it the answer says `nodes`
};

}  // namespace whence::queries
