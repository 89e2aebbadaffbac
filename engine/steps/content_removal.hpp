#pragma once
// Purging and expiring: the contents of records go, their place in the graph stays.

#include "engine/plan/plan.hpp"
#include "engine/state/blob_index.hpp"
#include "engine/state/contents.hpp"
#include "engine/values/batch.hpp"
#include "graph/removal/holds.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <span>
#include <string>

namespace whence::engine {

/// What the plan is made from. `known` is durable: the step is a group of its own, so that no batch of the same group
/// has read what goes.
struct RemovalSource {
  graph::Snapshot const& known;
  schema::RecordReader const& store;
  BlobIndex& blobs;
  std::span<schema::VertexId const> proposals;  ///< all that are visible, of purges (engine/state/proposal_index.hpp)
  graph::Keeping keeping;
  bool names_gone = false;  ///< of a dry run: what must stay is a warning, and what was purged before is in the plan
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
/// Of a person goes all that there is of them (graph/removal/of_person.hpp). What is held or too young stays: a purge
/// that reaches it fails with `precondition`, rule "held" or "retention_min" (graph/removal/holds.hpp), and where
/// contents expire it is passed over.
///
/// A proposal of a purge (engine/values/purge_proposal.hpp) that names something that is purged gets a revision without
/// what it named, and its earlier contents go. That of `step` itself is left to
/// `close_confirmed` (engine/steps/four_eyes.hpp).
///
/// Where contents expire only what is named goes. Fails with `not_found` naming every unknown ref, or as the store
/// does. O(what goes, its neighbours), and once O(contents that may name blobs).
[[nodiscard]] Result<Plan> plan_content_removal(ContentRemoval const& step, RemovalSource const& source);

/// Who erased somebody, when, and why.
struct Erasing {
  std::string const& id;      ///< a fresh one
  std::string const& who;     ///< empty: not known
  std::string const& reason;  ///< empty: none was given
  schema::Time at;
  std::string const& proposed_by;  ///< who proposed it, where `who` confirmed it; empty: none
};

/// The record of an erasure, an activity of PROV: who, when, why, and how many records of each type `plan` purges. It
/// says nothing of whom, so that it can be shown to anybody (`person.certificate`). O(what goes).
[[nodiscard]] schema::ProvActivity erasure_of(Plan const& plan, graph::Snapshot const& known, Erasing const& erasing);

}  // namespace whence::engine
