#pragma once
// Whole records as of a snapshot: stored contents folded, and completed with what the graph holds.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace whence::graph {

/// What a response used as of `snapshot`, in the order in which it named it. Sources deleted since are among it: what a
/// response says never changes.
[[nodiscard]] std::vector<schema::ContextReference> uses_of(Snapshot const& snapshot, VertexId response);

/// What each vertex says as of `snapshot`, in the order given. `visit` gets the position in `vertices` and the whole
/// record; it returns false to stop. Vertices may be deleted ones, which say what they said last. One call of `reader`,
/// whatever the number; fails as `RecordReader::read`.
[[nodiscard]] Result<void> read_records(Snapshot const& snapshot, schema::RecordReader const& reader,
                                        std::span<VertexId const> vertices,
                                        std::function<bool(std::size_t, schema::Record&&)> const& visit);

}  // namespace whence::graph
