#pragma once
// The ranks of retrievals that leave them out.

#include "engine/batch.hpp"
#include "graph/snapshot/snapshot.hpp"

#include <optional>
#include <variant>

namespace whence::engine {

/// A record of the batch, if it is one of type `T` that can be used.
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
