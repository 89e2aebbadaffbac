#pragma once
// What a query reads: one snapshot, and the records behind it.

#include "graph/snapshot/snapshot.hpp"
#include "graph/embeddings/vectors.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/records/record_reader.hpp"

namespace whence::queries {

/// A moment of the graph with the content of its records. A cheap value; what it points to outlives it.
struct View {
  graph::Snapshot snapshot;
  schema::RecordReader const* records;
  graph::Vectors const* vectors = nullptr;  ///< embeddings of chunks; needed by retrieval only
  schema::TokenRules token_rules = {};
};

/// The bounds of one evaluation.
struct Budget {
  schema::Interrupt const& interrupt;
  std::uint64_t vertices_max;  ///< reached vertices; beyond it the answer says `nodes`
};

}  // namespace whence::queries
