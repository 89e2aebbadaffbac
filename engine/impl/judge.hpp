#pragma once
// Whether a batch may be taken, and what it then does: all rules of state, against one state of the graph, together
// with what intake found wrong with its fields.

#include "engine/engine.hpp"
#include "engine/impl/contents.hpp"
#include "engine/impl/plan.hpp"
#include "graph/snapshot.hpp"

namespace whence::engine {

/// What a batch is judged against.
struct Bench {
  graph::Snapshot known;              ///< everything before the batch, durable or not
  schema::RecordReader const& store;  ///< what is durable
  OpenGroup const& group;             ///< what is not yet
  IdSource& ids;
};

/// Judges a batch as a whole: its records may name each other in any order, and every error of every record is
/// reported together, sorted by (index, path). Takes the records of `batch` apart. Fails with the code of the first
/// error, with `limit_exceeded` where the graph has no numbers left, with `corrupt` where existing content does not
/// read.
[[nodiscard]] Result<Plan> judge(WriteBatch& batch, Bench const& bench);

}  // namespace whence::engine
