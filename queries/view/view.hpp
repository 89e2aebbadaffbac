#pragma once
// The input of a query: one snapshot, and the records of its nodes.

#include "graph/columns/field_columns.hpp"
#include "graph/embeddings/vectors.hpp"
#include "graph/removal/holds.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/search/text_index.hpp"
#include "schema/types/author.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace whence::queries {

using graph::EdgeId;
using graph::Snapshot;
using graph::VertexId;

/// Compares the token count of a discussion with the one in its file: a warning where they differ. Reads a file.
using TokenCheck = std::function<std::vector<Violation>(schema::DiscussionState const& state, schema::TxId tx)>;

/// A moment of the graph with the content of its records. A cheap value; the objects that it points to outlive it.
struct View {
  Snapshot snapshot;
  schema::RecordReader const* records;
  graph::Vectors const* vectors = nullptr;       ///< embeddings of chunks; needed by retrieval only
  graph::FieldColumns const* columns = nullptr;  ///< of fields that are found without reading records; null: none
  schema::TokenRules token_rules = {};
  bool has_files = false;                   ///< discussions have files
  TokenCheck const* token_check = nullptr;  ///< asked when a discussion's context is loaded, if there is one
  schema::EmbeddingModels const* embeddings = nullptr;    ///< that questions may be of; null: any
  schema::TextIndex const* texts = nullptr;               ///< words of all texts; null: they are not searched
  schema::AuthorReader const* authors = nullptr;          ///< of transactions; null: not known
  graph::ReadHeldQuery const* read_held_query = nullptr;  ///< of holds by query
};

/// The bounds of one evaluation.
struct Budget {
  schema::Interrupt const& interrupt;
  std::uint64_t vertices_max;  ///< reached vertices; beyond it the result is incomplete for `nodes`
  /// How many items of a list have to be in order, from the first on; a query may leave those behind them in any order.
  std::size_t ordered_items = std::numeric_limits<std::size_t>::max();
};

}  // namespace whence::queries
