#pragma once
// The store of one graph: an LMDB environment in a directory, written by one thread, replayed at start-up.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/stored/codec.hpp"
#include "schema/stored/sealed.hpp"
#include "schema/types/author.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "store/files/files.hpp"
#include "store/values/advance.hpp"
#include "store/values/commit.hpp"
#include "store/values/figures.hpp"
#include "store/values/options.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::store {

using schema::TxId;
using schema::VertexId;

struct OpenStore;

/// An open store. `append`, `commit` and `abandon` belong to one writer thread; all `const` members may be called from
/// any thread. Reads are short transactions: nothing returned views the map. Environment failures (I/O, full disk apart
/// from `commit`) are thrown as std::system_error with the name of the LMDB call.
class Store final : public schema::RecordReader, public schema::AuthorReader {
 public:
  /// Opens or creates the store in `directory` and takes its lock. Fails with `conflict` (message names the pid) where
  /// another process holds it, `corrupt` where it is no store of this format or its head does not read, `not_found`
  /// where it is to be read only and is not there.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(std::filesystem::path const& directory,
                                                           StoreOptions const& options = {});
  ~Store() override;

  /// Makes what the log, the `graph` and the `records` table will hold of rows, revision rows and their `contents` (one
  /// for each row, then one for each revision row), to be given to `append` in `Commit::staged`. Callable from several
  /// threads while none of the writer's other members runs. O(bytes).
  [[nodiscard]] Staged stage(std::span<VertexRow const> rows, std::span<RevisionRow const> revisions,
                             std::span<schema::stored::Sealed const> contents) const;

  /// Adds a transaction to the open group. `commit.entry.tx` is one above the last appended.
  void append(Commit commit);

  /// Adds an answer that no transaction of its own carries (of a batch that changed nothing) to the open group. `key`
  /// has none yet.
  void keep_answer(std::string_view key, schema::stored::KeptAnswer answer);

  /// Why the last `commit` found no room. On the thread that commits.
  [[nodiscard]] NoRoom why_no_room() const noexcept;

  /// Makes the group durable: a frame of the journal and one fdatasync, or an LMDB transaction, which takes what waits
  /// in the journal too. On `storage_full` nothing of the group is kept and the store goes on. O(group and what waits).
  [[nodiscard]] Result<void> commit();

  /// Forgets the open group.
  void abandon();

  /// Whether the open group has something that `next_shared_group` has not returned yet.
  [[nodiscard]] bool has_unshared() const;

  /// What the open group has since this was last called, as another node appends it: `schema::stored::SharedGroup`.
  /// O(what it has).
  [[nodiscard]] schema::stored::Words next_shared_group();

  /// Appends a group that another node wrote to the open group and calls `visit` for each of its transactions. Every
  /// hash is computed again: what is staged is what this node would have written itself. Nothing is appended where the
  /// group does not follow the head. Fails with `corrupt` where the group was altered or the chain of hashes does not
  /// go on with it, with `conflict` where it is of another epoch, or begins before the head and is not what this store
  /// has there; then `visit` may have been called, and the open group is empty again.
  [[nodiscard]] Result<Following> append_received(std::span<std::byte const> message, Receive const& visit);

  /// Whether the group `message` ends with the head of this store, on disk: fails with `conflict` where it does not.
  [[nodiscard]] Result<void> check_is_head(std::span<std::byte const> message) const;

  /// The transactions after `after` up to `last`, which are on disk, in order, each as a group of its own, until
  /// `visit` fails or returns false. What is committed meanwhile follows, up to the head when the last of them was
  /// read: what is gone by then was removed by one of them. A content that is gone has no words; an answer that no
  /// transaction carries is in none. On any thread, while the store is written to; `visit` is called with no
  /// transaction of LMDB open. Fails with `corrupt`, and as `visit` does. O(what it visits); holds one transaction and
  /// 4 MiB.
  [[nodiscard]] Result<void> read_groups(TxId after, TxId last,
                                         std::function<Result<bool>(SentGroup const&)> const& visit) const;

  /// Appends a group that `read_groups` made, which must follow the head, with all the checks of `append_received`; the
  /// contents that a transaction removes are those that the store has. What was appended before one that removes
  /// contents is committed. Nothing is appended, nor returned, where it was committed after `until`. Fails with
  /// `corrupt` where it is altered or does not follow, with `conflict` where it is of another epoch, with
  /// `storage_full`.
  [[nodiscard]] Result<std::optional<TakenGroup>> append_sent(std::span<std::byte const> message,
                                                              std::optional<schema::Time> until = {});

  /// The end of the log on disk.
  [[nodiscard]] Result<LogEnd> log_end() const;

  /// The leaf hash of the entry `tx` on disk, zero for 0; `not_found` above the head.
  [[nodiscard]] Result<schema::Digest> leaf_hash(TxId tx) const;

  /// Takes the epoch, and where the store is empty the key of made ids, of the log that the group `message` is of,
  /// where the store is empty or the chain of hashes says that it has the log's history up to `message` (a backup that
  /// was restored, which gave it an epoch of its own). Before anybody reads it. Fails with `conflict` where it is
  /// another store. Throws std::system_error.
  [[nodiscard]] Result<void> adopt_epoch(std::span<std::byte const> message);

  /// Every transaction in order, from the packed graph table, or those after `start`. Stops with `corrupt` at the first
  /// that does not decode.
  [[nodiscard]] Result<void> replay(std::function<void(ReplayedCommit const&)> const& visit,
                                    ReplayStart const& start = {}) const;

  /// The checkpoint, if it is whole, of `layout`, and of a moment of this very log. `not_found` where there is none;
  /// `corrupt` or `conflict` with the reason where it is not to be used. Reads all of it.
  [[nodiscard]] Result<MappedCheckpoint> find_checkpoint(CheckpointOf what, std::uint64_t layout) const;

  /// Makes the checkpoint of the moment after `at`, of the bytes that `fill` writes; nothing changes where `fill`
  /// returns false. On any thread, one at a time, while the store is written to. `storage_full` where there is no room.
  /// Throws std::system_error.
  [[nodiscard]] Result<std::optional<CheckpointFigures>> make_checkpoint(
      CheckpointOf what, std::uint64_t layout, ReplayStart const& at,
      std::function<bool(CheckpointWriter&)> const& fill) const;

  /// The transactions from `first` on, in order, until `visit` returns false or the head on disk was visited. Holds a
  /// read transaction of LMDB meanwhile: stop after a slice. `visit` may read records. Fails as `replay`.
  [[nodiscard]] Result<void> read_commits(TxId first, std::function<bool(ReplayedCommit const&)> const& visit) const;

  /// Removes the checkpoint, durably, with what a killed attempt left of another. Throws std::system_error.
  void remove_checkpoint(CheckpointOf what) const;

  /// What the key answered, the open group included. Only for the writer thread.
  [[nodiscard]] Result<std::optional<schema::stored::KeptAnswer>> find_kept_answer(std::string_view key) const;

  [[nodiscard]] Result<void> read(
      std::span<schema::ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override;

  /// A content of `kind` with its salt, as others hold it against its commitment; nothing where it expired or was
  /// purged. Fails with `corrupt`.
  [[nodiscard]] Result<std::optional<schema::stored::Opening>> open_content(schema::ContentId content,
                                                                            schema::RevisionKind kind) const;

  /// What is on disk; the blobs of the open group are not seen.
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override;

  /// One log entry; `not_found` above the head.
  [[nodiscard]] Result<schema::stored::LogEntry> log_entry(TxId tx) const;

  [[nodiscard]] Result<schema::Author> read_author(TxId tx) const override;

  /// The secret of the log, the same on all its nodes and in its backups: ids made from texts are keyed with it.
  [[nodiscard]] schema::SecretKey id_key() const;

  /// Opaque, changes when the log is replaced. A UUID.
  [[nodiscard]] std::string epoch() const;
  [[nodiscard]] StoreStats stats() const;

  /// Gives back the memory of pages that reading a large part of the store has touched. For long scans, now and then;
  /// callable from any thread.
  void forget_touched_pages() const noexcept;

  /// Copies a consistent state into `directory`, which must not exist, while writes go on. Compacts. Fails with
  /// `conflict` where it exists, with `storage_full`, and as `interrupt` says: then nothing is left of it. `advance` is
  /// told how many bytes were copied, then how many entries of the copy were checked.
  [[nodiscard]] Result<BackupResult> backup(std::filesystem::path const& directory,
                                            schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                            Advance const& advance = {}) const;

 private:
  explicit Store(std::unique_ptr<OpenStore> open);
  std::unique_ptr<OpenStore> open_;
};

}  // namespace whence::store
