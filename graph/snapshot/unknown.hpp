#pragma once
// What is said of a ref that names nothing in a snapshot.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/ref.hpp"

#include <string>

namespace whence::graph {

/// A `not_found` violation at `path`: rule "deleted" where the node was there, else "unknown_reference".
[[nodiscard]] Violation unknown_ref(Snapshot const& snapshot, schema::NodeRef const& ref, std::string path);

}  // namespace whence::graph
