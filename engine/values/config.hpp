#pragma once
// Configuration of the engine: limits, thresholds, directories.

#include "graph/removal/holds.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/check.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/threads/thread_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace whence::engine {

/// How texts are searched.
enum class SearchBy : std::uint8_t {
  nothing,  ///< they are not
  scan,     ///< by looking at every record: for one question
  index,    ///< by an index beside the store, which a thread keeps
};

struct EngineConfig {
  std::filesystem::path directory = "whence-data";
  double future_tolerance_s = 5;                         ///< how far in the future a record's time may lie
  double deprecate_below = -0.5;                         ///< a unit whose running score falls below becomes deprecated
  schema::Mode mode = schema::Mode::strict;              ///< of batches that name none
  std::size_t inbox_batches_max = 4096;                  ///< waiting batches; further ones get `busy`
  std::size_t inbox_bytes_max = std::size_t{256} << 20;  ///< approximate memory of waiting batches
  std::size_t group_records_max = 2'000;                 ///< records made durable together
  bool is_durable = true;                                ///< false only for benchmarks
  schema::EmbeddingModels embeddings = {};               ///< models whose embeddings are accepted
  double confidence_min = schema::limits::confidence_min;  ///< an answer below it is stored as "not found"
  schema::TokenRules token_rules = {};                     ///< how tokens of system prompts are counted
  std::filesystem::path files = {};                        ///< where discussions are written to; empty: nowhere
  graph::RetentionRules retention_min = {};                ///< nothing younger expires, is deleted or purged
  graph::ReadHeldQuery read_held_query = {};               ///< of holds by query
  /// Within what time somebody else must confirm a purge or an erasure; nothing: a user who may purge does it alone.
  std::optional<std::chrono::seconds> four_eyes = {};
  bool keeps_columns = true;  ///< of indexed fields, in memory: `graph::FieldColumns`
  /// A server makes a checkpoint after so many new edges, if they are an eighth of all; 0: never.
  std::uint64_t checkpoint_edges = 1'000'000;
  /// Columns of fewer rows in all get no checkpoint: their records are read quickly. 0: none get one.
  std::uint64_t checkpoint_rows = 50'000;
  /// Address space reserved for the store, which is the most it can ever hold; a write beyond it answers
  /// `storage_full`. The file itself stays as small as its data.
  std::uint64_t store_map_bytes = std::uint64_t{1} << 40;
  SearchBy search = SearchBy::nothing;
  schema::TroubleReport on_trouble = {};  ///< of what the engine's threads could not do
};

/// What must stay at `now`. `config` outlives it.
[[nodiscard]] inline graph::Keeping keeping(EngineConfig const& config, schema::Time now) {
  return {.minimum = {config.retention_min, now}, .read_query = &config.read_held_query};
}

}  // namespace whence::engine
