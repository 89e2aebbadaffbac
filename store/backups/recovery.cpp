// Copies the base of the last set that reaches the moment, appends the transactions of its segments up to that,
// verifies, and only then gives the directory its name. A moment with contents that were purged or had expired before
// they were backed up cannot be restored.

#include "store/backups/recovery.hpp"

#include "schema/stored/blobs.hpp"
#include "schema/stored/sealed.hpp"
#include "store/backups/backup_set.hpp"
#include "store/backups/segment.hpp"
#include "store/files/files.hpp"
#include "store/files/output_file.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"
#include "store/packing/packing.hpp"
#include "store/upkeep/backup.hpp"
#include "store/upkeep/compact.hpp"
#include "store/values/options.hpp"
#include "store/verify/verify.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

using schema::Digest;
using schema::TxId;

constexpr std::size_t commit_bytes = std::size_t{16} << 20;

std::string number_text(TxId tx) {
  return std::to_string(schema::number(tx));
}

Error cancelled() {
  return {Errc::cancelled, "the restore was interrupted; nothing was made"};
}

/// Whether the moment lies between the base and the end of the set. A time after the end is one of it.
bool reaches(Manifest const& manifest, RecoveryTarget const& target) {
  if (target.tx) return manifest.base.tx <= *target.tx && *target.tx <= manifest.last();
  return !target.time || manifest.base.at <= *target.time;
}

/// What the sets have, for people.
std::string spans_of(std::vector<BackupSet> const& sets) {
  std::string text;
  for (auto const& set : sets) {
    auto const& manifest = set.manifest;
    text += (text.empty() ? "" : "; ") + set.path.filename().string() + " has transactions " +
            number_text(manifest.base.tx) + " to " + number_text(manifest.last()) + ", " +
            schema::format_rfc3339(manifest.base.at) + " to " + schema::format_rfc3339(manifest.last_at());
  }
  return text;
}

std::string text_of_target(RecoveryTarget const& target) {
  return target.tx ? "transaction " + number_text(*target.tx) : schema::format_rfc3339(*target.time);
}

/// The last set that reaches the moment.
Result<BackupSet> choose_set(std::filesystem::path const& backup, RecoveryTarget const& target) {
  auto sets = list_sets(backup);
  if (std::filesystem::exists(backup / manifest_name)) sets = {backup};
  std::vector<BackupSet> seen;
  for (auto path = sets.rbegin(); path != sets.rend(); ++path) {
    auto manifest = read_manifest(*path);
    if (!manifest) {
      Error error = manifest.error();
      if (sets.size() > 1) error.message += "; another set can be restored by its own name";
      return error;
    }
    if (reaches(*manifest, target)) return BackupSet{*path, std::move(*manifest)};
    seen.insert(seen.begin(), {*path, std::move(*manifest)});
  }
  if (seen.empty()) return Error{Errc::not_found, "there is no backup in " + backup.string()};
  return Error{Errc::not_found, "no backup reaches " + text_of_target(target) + ": " + spans_of(seen)};
}

/// Copies the base, whose bytes must be those that the manifest names.
Result<void> copy_base(BackupSet const& set, std::filesystem::path const& to, Advance const& advance) {
  auto const path = set.path / base_name / data_file_name;
  if (std::filesystem::is_symlink(set.path / base_name)) {
    return Error{Errc::corrupt, (set.path / base_name).string() + " is a symbolic link"};
  }
  auto const source = open_plain_file(path);
  if (!source) return source.error();
  auto const summary = copy_file(*source, path, to / data_file_name, advance);
  bool const is_it = summary.bytes == set.manifest.base.bytes && summary.sha256 == set.manifest.base.sha256;
  if (is_it) return {};
  return Error{Errc::corrupt, path.string() + " has other bytes than the manifest says"};
}

/// Whether the copy is of the store and the transaction that the manifest names.
Result<void> check_base(Store const& store, BackupSet const& set) {
  auto const end = store.log_end();
  if (!end) return end.error();
  auto const& base = set.manifest.base;
  if (store.epoch() == set.manifest.epoch && end->tx == base.tx && end->leaf == base.leaf) return {};
  return Error{Errc::corrupt, (set.path / base_name).string() + " is not the store that the manifest names"};
}

/// Appends transactions of segments to the store in the making.
class Appending {
 public:
  Appending(Store& store, BackupSet const& set, RecoveryTarget const& target, schema::Interrupt const& interrupt,
            Advance const& advance)
      : store_{store},
        set_{set},
        target_{target},
        interrupt_{interrupt},
        advance_{advance},
        base_{schema::number(set.manifest.base.tx)},
        last_wanted_{schema::number(last_wanted(set.manifest, target))} {}

  /// Returns whether the moment was reached before the end of the segment.
  [[nodiscard]] Result<bool> append(SegmentEntry const& entry) {
    auto const path = set_.path / entry.name();
    auto const named = [&](Error error) {
      error.message = path.string() + ": " + error.message;
      return error;
    };
    if (auto const checked = check_file(path, entry.bytes, entry.sha256); !checked) return checked.error();
    auto reader = SegmentReader::open(path);
    if (!reader) return reader.error();
    for (auto tx = entry.from;; tx = schema::next(tx)) {
      if (is_before(tx)) return true;
      if (interrupt_.check(1) != schema::Stop::none) return cancelled();
      auto const message = reader->next();
      if (!message) return named(message.error());
      if (!*message) break;
      auto const taken = take(**message);
      if (!taken) return named(taken.error());
      if (!*taken) return true;
      if (last_ != tx) return named({Errc::corrupt, "it has another transaction than its name says"});
    }
    if (auto const committed = commit(); !committed) return committed.error();
    auto const end = store_.log_end();
    if (!end) return end.error();
    if (end->tx == entry.to && end->leaf == entry.leaf) return false;
    return named({Errc::corrupt, "it does not end with the transaction that the manifest names"});
  }

  [[nodiscard]] Result<void> commit() {
    bytes_ = 0;
    return store_.commit();
  }

  /// Contents that were gone in their segment, and that nothing up to here has removed.
  [[nodiscard]] std::set<std::uint64_t> const& lacking() const noexcept { return lacking_; }
  [[nodiscard]] std::uint64_t removed() const noexcept { return removed_; }

 private:
  [[nodiscard]] bool is_before(TxId tx) const { return target_.tx && *target_.tx < tx; }

  /// The last transaction that may be wanted: of a time it lies somewhere in the last segment that begins before.
  static TxId last_wanted(Manifest const& manifest, RecoveryTarget const& target) {
    if (target.tx) return *target.tx;
    TxId last = manifest.base.tx;
    for (auto const& entry : manifest.segments) {
      if (!target.time || entry.first <= *target.time) last = entry.to;
    }
    return last;
  }

  void tell() const {
    auto const done = schema::number(last_) - base_;
    if (advance_ && last_wanted_ > base_) advance_(done, std::max(done, last_wanted_ - base_), "transactions added");
  }

  /// Returns false where the transaction is after the moment.
  [[nodiscard]] Result<bool> take(std::span<std::byte const> message) {
    auto const taken = store_.append_sent(message, target_.time);
    if (!taken) return taken.error();
    if (!*taken) return false;
    last_ = (*taken)->tx;
    tell();
    lacking_.insert((*taken)->lacking.begin(), (*taken)->lacking.end());
    for (auto const key : (*taken)->removed) {
      if (lacking_.erase(key) == 0) ++removed_;
    }
    bytes_ += message.size();
    if (bytes_ < commit_bytes) return true;
    if (auto const committed = commit(); !committed) return committed.error();
    return true;
  }

  Store& store_;
  BackupSet const& set_;
  RecoveryTarget const& target_;
  schema::Interrupt const& interrupt_;
  Advance const& advance_;
  std::uint64_t base_;         ///< the transaction of the base
  std::uint64_t last_wanted_;  ///< and the last one
  TxId last_ = TxId{0};
  std::set<std::uint64_t> lacking_;
  std::uint64_t removed_ = 0;
  std::size_t bytes_ = 0;
};

Error is_gone_already(TxId tx, std::set<std::uint64_t> const& lacking) {
  return {Errc::purged, "transaction " + number_text(tx) + " cannot be restored: " + std::to_string(lacking.size()) +
                            " contents that it had were purged or expired by a later one before they were backed up; "
                            "restore a later transaction, or the base of the set"};
}

/// Appends what is needed of the set's segments to the base in `directory`.
Result<void> append_segments(BackupSet const& set, std::filesystem::path const& directory, RecoveryTarget const& target,
                             schema::Interrupt const& interrupt, Advance const& advance, RecoveryResult& result) {
  auto const opened = Store::open(directory, {.is_durable = false});  // flushed before it gets its name
  if (!opened) return opened.error();
  Store& store = **opened;
  if (auto checked = check_base(store, set); !checked) return checked;
  Appending appending{store, set, target, interrupt, advance};
  for (auto const& entry : set.manifest.segments) {
    if (target.tx && *target.tx < entry.from) break;
    if (target.time && *target.time < entry.first) break;
    ++result.segments;
    auto const is_reached = appending.append(entry);
    if (!is_reached) return is_reached.error();
    if (*is_reached) break;
  }
  if (auto committed = appending.commit(); !committed) return committed;
  auto const end = store.log_end();
  if (!end) return end.error();
  if (!appending.lacking().empty()) return is_gone_already(end->tx, appending.lacking());
  result.tx = end->tx;
  result.is_last = end->tx == set.manifest.last();
  result.removed = appending.removed();
  if (end->tx != TxId{0}) {
    auto const entry = store.log_entry(end->tx);
    if (!entry) return entry.error();
    result.at = entry->at;
  }
  return {};
}

/// The blobs that contents of the store name.
Result<std::set<Digest>> find_named_blobs(Environment const& environment, Transaction const& txn,
                                          Unpacker const& unpacker) {
  std::set<Digest> named;
  auto const types = schema::stored::types_with_blobs();
  Cursor records{environment, txn, Table::records};
  Bytes room;
  for (auto entry = records.next();; entry = records.next()) {
    if (!entry) return entry.error();
    if (!*entry) return named;
    auto const type = static_cast<schema::RecordType>(type_number_of((*entry)->number().value_or(0)));
    if (is_gone((*entry)->value) || std::ranges::find(types, type) == types.end()) continue;
    auto const words = unpacker.unpack(txn, (*entry)->value, room);
    if (!words) return words.error();
    auto const record = schema::stored::unseal(type, *words);
    if (!record) return record.error();
    for (auto const& digest : schema::stored::blobs_of(*record)) named.insert(digest);
  }
}

/// What a transaction removed took along the blobs that nothing else named; no log entry says which.
Result<void> remove_unnamed_blobs(std::filesystem::path const& directory) {
  auto const environment =
      open_environment(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_NOLOCK | MDB_NOSYNC});
  if (!environment) return environment.error();
  std::vector<Digest> unnamed;
  Head head;
  {
    Transaction const txn{*environment, Transaction::Kind::read};
    auto const found = read_head(*environment, txn);
    if (!found) return found.error();
    head = *found;
    Unpacker const unpacker{*environment};
    auto const named = find_named_blobs(*environment, txn, unpacker);
    if (!named) return named.error();
    Cursor blobs{*environment, txn, Table::blob_numbers};
    for (auto entry = blobs.next();; entry = blobs.next()) {
      if (!entry) return entry.error();
      if (!*entry) break;
      Digest digest;
      if ((*entry)->key.size() != digest.bytes.size()) return Error{Errc::corrupt, "a blob has no digest for a name"};
      std::ranges::transform((*entry)->key, digest.bytes.begin(),
                             [](std::byte b) { return static_cast<std::uint8_t>(b); });
      auto const state = find_blob_state(*environment, txn, digest);
      if (!state) return state.error();
      if (*state == BlobState::kept && !named->contains(digest)) unnamed.push_back(digest);
    }
  }
  if (unnamed.empty()) return {};
  Transaction txn{*environment, Transaction::Kind::write};
  for (auto const& digest : unnamed) {
    require_written(put_blob(*environment, txn, digest, gone_value), "mdb_put (blobs)", *environment);
  }
  require_written(write_head(*environment, txn, head), "mdb_put (meta)", *environment);
  require_written(txn.commit(), "mdb_txn_commit", *environment);
  return {};
}

/// Nothing but the data file is left, and that holds.
Result<void> finish(std::filesystem::path const& directory, RecoveryResult const& result,
                    schema::Interrupt const& interrupt, Advance const& advance) {
  if (auto renewed = renew_epoch(directory); !renewed) return renewed;
  if (result.removed > 0) {
    auto const written = compact(directory, interrupt, advance);  // verifies what it wrote
    if (!written) return written.error().code == Errc::cancelled ? cancelled() : written.error();
  } else {
    auto verified = require_verified(directory, "what was restored", schema::NoInterrupt{}, advance);
    if (!verified) return verified;
  }
  std::filesystem::remove(directory / "whence.lock");
  std::filesystem::remove(directory / "lock.mdb");
  return {};
}

/// Sets the last transaction of a copy that is not written to, and when it was committed. Writes nothing beside it.
Result<void> look_at_copy(std::filesystem::path const& backup, RecoveryResult& result) {
  auto const environment =
      open_environment(backup, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_RDONLY | MDB_NOLOCK});
  if (!environment) return environment.error();
  Transaction const txn{*environment, Transaction::Kind::read};
  auto const head = read_head(*environment, txn);
  if (!head) return head.error();
  result.tx = head->tx;
  if (head->tx == TxId{0}) return {};
  auto const bytes = find(*environment, txn, Table::log, schema::number(head->tx));
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{Errc::corrupt, backup.string() + " lacks the last entry of its log"};
  auto const entry = schema::stored::decode_log_entry(**bytes);
  if (!entry) return entry.error();
  result.at = entry->at;
  return {};
}

/// A single copy is one moment. It is looked at once it is verified: nothing before that can be trusted.
Result<RecoveryResult> recover_copy(std::filesystem::path const& backup, std::filesystem::path const& directory,
                                    RecoveryTarget const& target, Advance const& advance) {
  RecoveryResult result{.from = backup};
  auto const accept = [&](std::filesystem::path const& copy) -> Result<void> {
    if (auto looked = look_at_copy(copy, result); !looked) return looked;
    bool const is_it =
        (!target.tx || *target.tx == result.tx) && (!target.time || !result.at || *result.at <= *target.time);
    if (is_it) return {};
    return Error{Errc::not_found,
                 backup.string() + " is a copy at transaction " + number_text(result.tx) + ": it has no other moment"};
  };
  if (auto const restored = restore(backup, directory, accept, advance); !restored) return restored.error();
  return result;
}

/// How many vertices the set says were purged after what was restored.
std::uint64_t count_purged_later(Manifest const& manifest, TxId restored) {
  std::uint64_t count = 0;
  for (auto const& segment : manifest.segments) {
    if (segment.to > restored) count += segment.purged;
  }
  return count;
}

}  // namespace

Result<RecoveryResult> recover(std::filesystem::path const& backup, std::filesystem::path const& directory,
                               RecoveryTarget const& target, schema::Interrupt const& interrupt,
                               Advance const& advance) {
  if (!std::filesystem::is_directory(backup)) return Error{Errc::not_found, "there is no backup in " + backup.string()};
  if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory))
    return Error{Errc::conflict, directory.string() + " is not empty"};
  if (has_data_file(backup)) return recover_copy(backup, directory, target, advance);
  auto const set = choose_set(backup, target);
  if (!set) return set.error();
  RecoveryResult result{.from = set->path};
  try {
    StagingDirectory staging{directory};
    if (auto const copied = copy_base(*set, staging.path(), advance); !copied) return copied.error();
    if (auto const appended = append_segments(*set, staging.path(), target, interrupt, advance, result); !appended)
      return appended.error();
    if (result.removed > 0) {
      if (auto const removed = remove_unnamed_blobs(staging.path()); !removed) return removed.error();
    }
    if (auto const finished = finish(staging.path(), result, interrupt, advance); !finished) return finished.error();
    if (auto const named = staging.become_target(); !named) return named.error();
  } catch (std::system_error const& failed) {
    if (!is_out_of_room(failed.code().value())) throw;
    return Error{Errc::storage_full, "there is no room for " + directory.string()};
  }
  result.purged_later = count_purged_later(set->manifest, result.tx);
  return result;
}

}  // namespace whence::store
