#pragma once
// Acts: a response and the answer of the same request.

#include "graph/snapshot/snapshot.hpp"

#include <optional>

namespace whence::graph {

/// The other half of the act that a response or an answer belongs to; nothing for any other vertex, or where the other
/// half was never written or is deleted. O(relations of `v`).
[[nodiscard]] std::optional<VertexId> other_half(Snapshot const& snapshot, VertexId v);

}  // namespace whence::graph
