#pragma once
// The graph of a store that is only read: for programs that analyse one and write nothing.

#include "graph/graph.hpp"
#include "schema/base/error.hpp"
#include "store/log/store.hpp"

namespace whence::engine {

/// The published graph of everything that `store` holds now, by its checkpoint where there is one to be used. Changes
/// nothing on disk: `store` may be opened with `is_read_only`, also while a server writes it. The graph needs the store
/// no more; `store.read` has the contents of its nodes. Fails as `store::Store::replay`.
[[nodiscard]] Result<graph::Graph> read_graph(store::Store const& store);

}  // namespace whence::engine
