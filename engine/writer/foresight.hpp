#pragma once
// What a deletion or a purge would do, found without the writer: a dry run holds no writer up.

#include "engine/values/batch.hpp"
#include "engine/values/config.hpp"
#include "engine/values/purge_proposal.hpp"
#include "engine/values/write_answer.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_reader.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::engine {

/// That a batch expected another head.
[[nodiscard]] Error unexpected_head(schema::TxId expected, schema::TxId head);

/// The state that is asked about. What it refers to outlives the call.
struct Foresight {
  graph::Snapshot known;
  schema::RecordReader const& store;
  schema::Time now;
  EngineConfig const& config;
  bool names_gone = false;  ///< as of RemovalSource (engine/steps/content_removal.hpp)
};

/// Whether a batch is the dry run of a deletion or a purge: it needs no writer.
[[nodiscard]] bool is_dry_removal(PreparedBatch const& prepared) noexcept;

/// Says that who sent the batch may not know which texts were purged (`WriteBatch::hides_purged_texts`).
void hide_purged_texts(PreparedBatch const& prepared) noexcept;

/// The answer of such a batch, as the writer would give it where nothing was written since `known`. Fails as
/// `validate_removal` and `plan_content_removal`. From any thread.
[[nodiscard]] Result<WriteAnswer> foresee_removal(PreparedBatch const& prepared, Foresight const& state);

/// Which of the records that `removal` names were ever purged, each life of a ref once. O(what it names).
[[nodiscard]] std::vector<LostRecord> find_lost(Removal const& removal, graph::Snapshot const& known);

/// A proposed purge.
struct ProposedPurge {
  PurgeProposal proposal;
  ProposalState state;
  std::optional<Result<Removal>> would = {};  ///< of an open one: what would go now, or why nothing would
};

struct ProposalsAsked {
  bool has_closed = false;  ///< also those that cannot be confirmed any more
  std::uint64_t limit = 0;  ///< how many are listed
};

struct Proposals {
  std::vector<ProposedPurge> proposals;  ///< the newest first
  std::uint64_t total;                   ///< also those beyond the limit
};

/// The proposals of the state. O(activities of PROV), and of each that is listed and open what a dry run costs. Fails
/// as the store does. From any thread.
[[nodiscard]] Result<Proposals> find_proposals(Foresight const& state, ProposalsAsked const& asked);

}  // namespace whence::engine
