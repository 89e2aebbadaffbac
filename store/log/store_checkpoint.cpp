// The checkpoint of an open store: whether it is of a moment of this log, and making one.

#include "store/checkpoint/checkpoint.hpp"
#include "store/checkpoint/of_log.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"

#include <string>
#include <system_error>

namespace whence::store {
namespace {

/// The leaf hash of the log's entry `tx`.
Result<schema::Digest> find_leaf(Environment const& environment, Transaction const& txn, TxId tx) {
  auto const found = find(environment, txn, Table::log, schema::number(tx));
  if (!found) return found.error();
  if (!*found) return Error{Errc::not_found, "there is no transaction " + std::to_string(schema::number(tx))};
  return schema::stored::leaf_hash(**found);
}

Error foreign(std::string const& why) {
  return {Errc::conflict, "the checkpoint is not of this log: " + why};
}

}  // namespace

Result<void> check_is_of_log(CheckpointHead const& checkpoint, Environment const& environment, Transaction const& txn,
                             Head const& head) {
  if (checkpoint.epoch != head.epoch) return foreign("it has another epoch");
  if (checkpoint.seen > head.tx || checkpoint.tx > checkpoint.seen) return foreign("it is newer than the log");
  if (checkpoint.tx == TxId{0}) return foreign("it is of no transaction");
  Result<schema::Digest> const leaf = find_leaf(environment, txn, checkpoint.tx);
  if (!leaf) return foreign(leaf.error().message);
  if (*leaf == checkpoint.leaf) return {};
  return foreign("transaction " + std::to_string(schema::number(checkpoint.tx)) + " is another one");
}

Result<MappedCheckpoint> Store::find_checkpoint(CheckpointOf what, std::uint64_t layout) const {
  Result<MappedCheckpoint> mapped = MappedCheckpoint::open(open_->environment.directory(), what);
  if (!mapped) return mapped;
  if (mapped->head().layout != layout) return Error{Errc::conflict, "the checkpoint is of another program version"};
  {
    Transaction const txn{open_->environment, Transaction::Kind::read};
    Result<Head> const head = read_head(open_->environment, txn);
    if (!head) return head.error();
    auto const checked = check_is_of_log(mapped->head(), open_->environment, txn, *head);
    if (!checked) return checked.error();
  }
  if (auto const checked = mapped->check(); !checked) return checked.error();
  return mapped;
}

void Store::remove_checkpoint(CheckpointOf what) const {
  store::remove_checkpoint(open_->environment.directory(), what);
}

Result<std::optional<CheckpointFigures>> Store::make_checkpoint(
    CheckpointOf what, std::uint64_t layout, ReplayStart const& at,
    std::function<bool(CheckpointWriter&)> const& fill) const {
  using Made = std::optional<CheckpointFigures>;
  try {
    CheckpointWriter writer{open_->environment.directory(), what};
    if (!fill(writer)) return Made{};
    CheckpointHead checkpoint{.layout = layout, .tx = at.tx, .vertices = at.vertices, .revisions = at.revisions};
    {
      Transaction const txn{open_->environment, Transaction::Kind::read};
      Result<Head> const head = read_head(open_->environment, txn);
      if (!head) return head.error();
      Result<schema::Digest> const leaf = find_leaf(open_->environment, txn, at.tx);
      if (!leaf) return leaf.error();
      checkpoint.epoch = head->epoch;
      checkpoint.leaf = *leaf;
      checkpoint.seen = head->tx;
    }
    return Made{CheckpointFigures{.tx = at.tx, .bytes = writer.finish(checkpoint)}};
  } catch (std::system_error const& failed) {
    if (!is_out_of_room(failed.code().value())) throw;
    return Error{Errc::storage_full, std::string{"there is no room for the checkpoint: "} + failed.what()};
  }
}

}  // namespace whence::store
