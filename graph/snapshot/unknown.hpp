#pragma once
// What is said of a ref that names nothing in a snapshot, or a node of whose content nothing is left.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/types/ref.hpp"

#include <string>

namespace whence::graph {

/// " at transaction 5 (2025-10-11T09:00:00Z)" of an earlier moment, to be added to what is said of it; empty for the
/// last one.
[[nodiscard]] std::string at_its_moment(Snapshot const& snapshot);

/// A `not_found` violation at `path`: rule "deleted" where the node was there, else "unknown_reference". It says at
/// which moment where that is an earlier one.
[[nodiscard]] Violation unknown_ref(Snapshot const& snapshot, schema::NodeRef const& ref, std::string path);

/// That the content of `vertex` expired or was purged: a violation at `path`, whose rule and code are of the same name.
[[nodiscard]] Violation gone_content(Snapshot const& snapshot, VertexId vertex, GoneWhy why, std::string path);
/// The same of content that was not found: expired where the snapshot does not say why yet.
[[nodiscard]] Violation gone_content(Snapshot const& snapshot, VertexId vertex, std::string path);

}  // namespace whence::graph
