#pragma once
// Purging and expiring: the contents of records go, their place in the graph stays.

#include "engine/plan/plan.hpp"
#include "engine/state/blob_index.hpp"
#include "engine/state/contents.hpp"
#include "engine/values/batch.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"

namespace whence::engine {

/// What the plan is made from. `known` is durable: the step is a group of its own.
struct RemovalSource {
  graph::Snapshot const& known;
  schema::RecordReader const& store;
  BlobIndex& blobs;
};

/// The plan of removing the contents of what `step` names, of deleted nodes of that name too, and of every copy of
/// their texts:
///
/// - parts (a document's chunks, a message's attachments, rounds and summaries of a discussion) and feedback;
/// - what was extracted or rendered only from what goes; prompts that include a chunk that goes; the other half of an
///   act;
/// - excerpts in answers that cite a chunk that goes: such an answer gets a revision without them, or goes whole where
///   it was deleted;
/// - with `cascades` also responses and answers that have no source besides what goes;
/// - blobs that no other content names.
///
/// Where contents expire only what is named goes. Fails with `not_found` naming every unknown ref, or as the store
/// does. O(what goes, its neighbours), and once O(contents that may name blobs).
[[nodiscard]] Result<Plan> plan_content_removal(ContentRemoval const& step, RemovalSource const& source);

}  // namespace whence::engine
