#pragma once
// A history told from outside, event by event, as `subscribe` tells it: what a store is restored from.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/edges/edge_type.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"
#include "schema/records/ref.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// An edge as drawn.
struct PastEdge {
  schema::EdgeType type;
  schema::NodeRef from;
  schema::NodeRef to;
  std::optional<double> value = {};
  std::uint32_t rank = 0;
};

/// One line of a history.
struct PastEvent {
  graph::EventOp op;
  schema::NodeRef ref;
  std::optional<schema::Record> record = {};  ///< of a put or version, whole
  std::string status = {};
  std::vector<PastEdge> edges = {};
  std::string text = {};  ///< of an attachment whose record only names it
  std::string told = {};  ///< how it was told, for `CheckTold`
  std::uint64_t line = 0;
};

struct PastTransaction {
  schema::TxId tx;
  schema::Time at;
  std::vector<PastEvent> events = {};
};

/// Compares what a transaction changed, as applied and before it is written, with how it was told. `records` reads what
/// it made. Called on the writer thread.
using CheckTold = std::function<Result<void>(PastTransaction const& past, graph::Delta delta,
                                             graph::Snapshot const& after, schema::RecordReader const& records)>;

/// Transactions that follow the head, to be written as they were: with their numbers and times, and without deciding
/// anything again. What they say must agree with itself: all are taken, or none.
struct History {
  CheckTold check = {};
  /// Deprecates as told; else as the engine's threshold says, which must then be what was told.
  bool keeps_statuses = false;
  std::vector<PastTransaction> transactions = {};
};

/// `invalid_record`, rule "history": a line that does not agree with the rest.
[[nodiscard]] Error past_error(std::uint64_t line, std::string message);

}  // namespace whence::engine
