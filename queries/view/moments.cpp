// Which past state an `as_of` means: a number is a transaction, a time is the state after the last transaction
// committed at or before it. The records' own times play no part; a time in the future is the head.

#include "queries/view/moments.hpp"

#include "queries/view/resolve.hpp"

namespace whence::queries {

Result<graph::Snapshot> snapshot_at(graph::Snapshot const& head, AsOf const& moment, std::string_view path) {
  if (auto const* time = std::get_if<schema::Time>(&moment)) return head.as_of(head.last_tx_at(*time));
  TxId const tx = std::get<TxId>(moment);
  if (tx > head.tx()) {
    return error_from(invalid_param("range", std::string(path), std::to_string(schema::number(tx)),
                                    "the head is transaction " + std::to_string(schema::number(head.tx()))));
  }
  return head.as_of(tx);
}

Result<graph::Snapshot> snapshot_as_of(graph::Snapshot const& head, std::optional<AsOf> const& as_of) {
  if (!as_of) return head;
  return snapshot_at(head, *as_of, "/as_of");
}

}  // namespace whence::queries
