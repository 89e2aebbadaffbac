#pragma once
// What documents were loaded from: the entity that a document's `uri` names, and the entities that are specializations
// of it, as the versions of a table are. Either may be written first.

#include "engine/plan/candidates.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/document_index.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"
#include "store/rows/graph_row.hpp"

#include <vector>

namespace whence::engine {

/// Adds the `LOADED_FROM` edges that new records bring to the rows of `plan`, which have the edges of their references.
/// A new document finds entities that are known. With `are_known_documents_joined`, which only a caller sets whose
/// entities have no causes outside their own kind, new entities find documents that are known. Fails where the store
/// does. O(the batch, and the specializations of the entities that its documents name).
[[nodiscard]] Result<void> join_documents(Candidates const& candidates, bool are_known_documents_joined,
                                          DocumentIndex& documents, Index::Source const& source, Plan& plan);

/// The `LOADED_FROM` edges that the known entity `vertex` gains where `entity` says that it is a specialization of
/// more: from documents that name one of these and have no edge to it yet. Fails where the store does.
[[nodiscard]] Result<std::vector<store::RowEdge>> documents_gained(schema::VertexId vertex,
                                                                   schema::ProvNode const& entity,
                                                                   graph::Snapshot const& known,
                                                                   DocumentIndex& documents,
                                                                   Index::Source const& source);

/// The edges that the known document `vertex` gains where it says what `document` does: to what it has no edge to yet
/// and was not made from it. None where its sources have more than 100,000 ancestors.
[[nodiscard]] std::vector<store::RowEdge> edges_gained(schema::VertexId vertex, schema::Document const& document,
                                                       graph::Snapshot const& known);

}  // namespace whence::engine
