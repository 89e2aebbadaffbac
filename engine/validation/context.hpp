#pragma once
// What a batch is validated against.

#include "engine/config.hpp"
#include "engine/extraction/topic_index.hpp"
#include "engine/id_source.hpp"
#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_reader.hpp"

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

}  // namespace whence::engine
