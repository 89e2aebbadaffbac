#pragma once
// Ranks for retrievals that leave them out.

#include "engine/values/batch.hpp"
#include "graph/snapshot/snapshot.hpp"

#include <optional>
#include <variant>

namespace whence::engine {

/// The record as a `T`, if it is one and valid; else null.
template <class T>
T* sound(schema::IncomingRecord& given) {
  return given.is_usable && given.violations.empty() ? std::get_if<T>(&given.record) : nullptr;
}

/// Gives each sound retrieval of `batch` without a rank the one it has already, or the next of its request in the order
/// of writing.
void assign_ranks(WriteBatch& batch, graph::Snapshot const& known);

/// The edge of a known retrieval, deleted ends left out; nothing where the chunk was not retrieved for the query.
[[nodiscard]] std::optional<schema::EdgeId> find_retrieval(graph::Snapshot const& known, schema::VertexId chunk,
                                                           schema::VertexId query);

}  // namespace whence::engine
