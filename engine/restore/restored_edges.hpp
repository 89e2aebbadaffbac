#pragma once
// The edges of restored events: whether they are allowed, and agree with the records that bring them.

#include "engine/values/history.hpp"
#include "schema/base/error.hpp"
#include "schema/records/links.hpp"

#include <vector>

namespace whence::engine {

/// Compares the edges of an event with `links`, those that follow from its record. Fails with `invalid_record`, rule
/// "history", where one is missing, carries another number, or is not named by a record that names all its edges.
[[nodiscard]] Result<void> check_links(RestoredEvent const& event, std::vector<schema::Link> const& links);

/// Checks that an edge may be between such nodes and carries a valid weight. Fails as `check_links`.
[[nodiscard]] Result<void> check_edge(RestoredEvent const& event, RestoredEdge const& edge);

/// Puts the edges of an event, which are in order of refs, into the order in which its record names them.
void order_edges(RestoredEvent& event, std::vector<schema::Link> const& links);

}  // namespace whence::engine
