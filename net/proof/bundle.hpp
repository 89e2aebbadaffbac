#pragma once
// A bundle: records with the proof that a log has them, for somebody without this program (tools/verify/README.md).

#include "net/proof/transparency_log.hpp"
#include "net/work/progress.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/proof/merkle.hpp"
#include "schema/proof/tlog_proof.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace whence::net {

/// The most nodes in a bundle.
inline constexpr std::size_t bundle_nodes_max = 10'000;

/// Transactions, both ends among them.
struct TxRange {
  schema::TxId first;
  schema::TxId last;
};

/// What goes into a bundle.
struct BundleContents {
  queries::VertexId about;
  std::vector<queries::VertexId> vertices = {};  ///< `about` among them; each at most once; all lives of it go in
  std::function<bool(queries::VertexId)> is_withheld = {};  ///< of these the events go in, the contents do not
  /// With the tree before the transaction that wrote `about`, which erased somebody (`person.erase`).
  bool is_certificate = false;
};

/// What goes into a bundle of a period.
struct PeriodContents {
  TxRange range;
  std::optional<schema::NodeRef> about = {};  ///< which has a record in the range; the first that has one where absent
  std::vector<queries::VertexId> vertices = {};  ///< whose events; all where `is_of_all`
  bool is_of_all = true;
  std::function<bool(queries::VertexId)> is_withheld = {};  ///< as of BundleContents
};

/// The nodes of a tree, for proofs.
[[nodiscard]] schema::proof::FindNode nodes_of(engine::EventTree const& tree);

/// That the event at `index`, which is below the checkpoint's size, is in it.
[[nodiscard]] Result<schema::proof::TlogProof> make_proof(engine::EventTree const& tree, std::uint64_t index,
                                                          SignedCheckpoint const& checkpoint);

/// The bundle of `contents`, and of the records by which the log's key was changed: each event that a node had up to
/// the newest checkpoint, at `view` or later, with its proof, and what it wrote, if it is still there. `limit_exceeded`
/// for more than `bundle_nodes_max` nodes; of a certificate `not_found` where `about` records no erasure; fails as
/// `TransparencyLog::checkpoint_at` and `read_leaves`, as the interrupt of `progress` says, and with `busy` where there
/// is no memory for it. O(the transactions of the events).
[[nodiscard]] Result<std::string> make_bundle(engine::Engine const& engine, TransparencyLog const& log,
                                              queries::View const& view, BundleContents const& contents,
                                              Progress const& progress);

/// The bundle of the events of a period, each with its proof and what it wrote, and of the records by which the log's
/// key was changed, whenever that was. `not_found` where no record was written in it, or the range is not in the log;
/// `limit_exceeded` for more than `bundle_events_max` events or too many bytes; fails as `make_bundle`.
[[nodiscard]] Result<std::string> make_period_bundle(engine::Engine const& engine, TransparencyLog const& log,
                                                     queries::View const& view, PeriodContents const& contents,
                                                     Progress const& progress);

}  // namespace whence::net
