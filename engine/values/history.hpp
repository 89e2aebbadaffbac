#pragma once
// A history from outside, event by event, as `subscribe` sends it: what a store is restored from.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// An edge in its stored direction.
struct RestoredEdge {
  schema::EdgeType type;
  schema::NodeRef from;
  schema::NodeRef to;
  std::optional<double> value = {};
  std::uint32_t rank = 0;
};

/// One line of a history.
struct RestoredEvent {
  graph::EventOp op;
  schema::NodeRef ref;
  std::optional<schema::Record> record = {};  ///< of a put or version, whole; absent where it is gone
  bool is_gone = false;                       ///< of a put or version: it expired or was purged since
  bool is_purged = false;                     ///< of that, or of an expire: somebody asked for it
  std::optional<schema::TxId> put = {};       ///< of an expire of a deleted node: the transaction that wrote it
  std::string status = {};
  std::vector<RestoredEdge> edges = {};
  std::optional<schema::Time> time = {};  ///< of a put that is gone: that of its record
  std::string text = {};                  ///< of an attachment whose record only names it
  std::string expected = {};              ///< the whole event in canonical JSON, for `CheckRestored`
  std::uint64_t line = 0;
};

struct RestoredTransaction {
  schema::TxId tx;
  schema::Time at;
  std::vector<RestoredEvent> events = {};
  std::string reason = {};  ///< why something was removed, where its events say so
};

/// Compares the events of a restored transaction with those of its history, after it is applied and before it is
/// written. `records` reads what the transaction wrote. Called on the writer thread.
using CheckRestored = std::function<Result<void>(RestoredTransaction const& transaction, graph::Delta delta,
                                                 graph::Snapshot const& after, schema::RecordReader const& records)>;

/// Transactions that follow the head, to be written as they were: with their ids and times, and without deciding
/// anything again. They must be consistent: all are accepted, or none.
struct History {
  CheckRestored check = {};
  /// Takes deprecations from the history; else the engine's threshold decides, which must give the same ones.
  bool keeps_statuses = false;
  std::vector<RestoredTransaction> transactions = {};
};

/// `invalid_record`, rule "history": a line that is not consistent with the rest.
[[nodiscard]] Error history_error(std::uint64_t line, std::string message);

}  // namespace whence::engine
