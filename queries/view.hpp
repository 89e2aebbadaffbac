#pragma once
// The input of a query: one snapshot, and the records of its nodes.

#include "graph/embeddings/vectors.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/record_reader.hpp"

#include <cstdint>

namespace whence::queries {

using graph::EdgeId;
using graph::Snapshot;
using graph::VertexId;

/// A moment of the graph with the content of its records. A cheap value; the objects that it points to outlive it.
struct View {
  Snapshot snapshot;
  schema::RecordReader const* records;
  graph::Vectors const* vectors = nullptr;  ///< embeddings of chunks; needed by retrieval only
  schema::TokenRules token_rules = {};
};

/// The bounds of one evaluation.
struct Budget {
  schema::Interrupt const& interrupt;
  std::uint64_t vertices_max;  ///< reached vertices; beyond it the result is incomplete for `nodes`
};

}  // namespace whence::queries
