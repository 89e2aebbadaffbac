#pragma once
// What an accepted batch will do to the graph and the store: the outcome of judging it.

#include "schema/error.hpp"
#include "schema/records.hpp"
#include "store/graph_row.hpp"

#include <string>
#include <vector>

namespace whence::engine {

/// Invariants: 1. `records[i]` is the whole record of `rows[i]`. 2. the rows' vertices follow each other without a gap,
/// from the vertex count of the graph the batch was judged against. 3. no row is empty-handed: what exists already
/// with the same content has none, so a plan without rows changes nothing.
struct Plan {
  std::vector<store::VertexRow> rows = {};
  std::vector<schema::Record> records = {};
  std::vector<std::string> refs = {};  ///< one per record of the batch, in its order
  std::vector<Violation> warnings = {};
};

}  // namespace whence::engine
