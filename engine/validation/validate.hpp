#pragma once
// Whether a batch may be taken, and what it then does: all rules of state, against one state of the graph, together
// with what intake found wrong with its fields.

#include "engine/engine.hpp"
#include "engine/state/contents.hpp"
#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/extraction/topic_index.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/records/ref.hpp"

#include <span>

namespace whence::engine {

/// What a batch is judged against.
struct ValidationContext {
  graph::Snapshot known;              ///< everything before the batch, durable or not
  schema::RecordReader const& store;  ///< what is durable
  Memory const& memory;               ///< what is not yet
  TopicIndex& topics;
  IdSource& ids;
  EngineConfig const& config;
  schema::Time now;
};

/// Judges a batch as a whole: its records may name each other in any order, and every error of every record is
/// reported together, sorted by (index, path). Takes the records and texts of `request` apart. Fails with the code of
/// the first error, with `limit_exceeded` where the graph has no numbers left, with `corrupt` where existing content
/// does not read.
[[nodiscard]] Result<Plan> validate(Request& request, ValidationContext const& context);

/// The plan of deleting `refs` and what goes with them. Fails with `not_found` naming every ref that is not there, rule
/// "deleted" for what is deleted already.
[[nodiscard]] Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, graph::Snapshot const& known);

}  // namespace whence::engine
