#pragma once
// The state and the settings that a batch is validated with.

#include "engine/state/contents.hpp"
#include "engine/state/indexes.hpp"
#include "engine/values/config.hpp"
#include "engine/values/helper.hpp"
#include "engine/values/id_source.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/time.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/record_reader.hpp"

namespace whence::engine {

/// Everything it refers to outlives it.
struct ValidationContext {
  graph::Snapshot known;              ///< everything before the batch, durable or not
  schema::RecordReader const& store;  ///< durable records
  Memory const& memory;               ///< records that are not durable yet
  Indexes& indexes;
  IdSource& ids;
  Helper& helper;
  EngineConfig const& config;
  schema::Time now;
  schema::Mode mode;
  schema::SecretKey id_key;  ///< of ids that are made from texts

  /// What an index is made from that is asked now.
  [[nodiscard]] Index::Source source() const noexcept { return {known, store, memory}; }
};

}  // namespace whence::engine
