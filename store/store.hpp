#pragma once
// The store of one graph: an LMDB environment in a directory, written by one thread, replayed at start-up.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/stored/codec.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

using schema::TxId;
using schema::VertexId;

struct StoreOptions {
  std::uint64_t map_bytes = std::uint64_t{1} << 40;  ///< address space reserved; the file stays as small as its data
  bool is_durable = true;                            ///< false only for benchmarks: no fdatasync
  bool is_read_only = false;                         ///< opens without the writer's lock; used by offline reading
};

/// Bytes to be kept under their SHA-256.
struct Blob {
  schema::Digest digest;
  std::string bytes;
};

/// One transaction as it goes to disk. The changes of its entry stand in the order put, revise, hide, deprecate.
struct Commit {
  schema::stored::LogEntry entry;  ///< `previous` and the digests of `put` and `revise` are filled in by the store
  std::vector<VertexRow> rows;     ///< one per `put` change, same order
  std::vector<RevisionRow> revisions = {};                     ///< one per `revise` change, same order
  std::vector<schema::stored::Words> contents;                 ///< one per `put`, then one per `revise` change
  std::vector<Blob> blobs = {};                                ///< what is stored already is not stored twice
  std::optional<schema::stored::KeptAnswer> kept_answer = {};  ///< stored under `entry.idempotency_key`
};

/// One transaction as it comes back at start-up.
struct ReplayedCommit {
  TxId tx;
  schema::Time at;
  std::span<VertexRow const> rows;
  std::span<RevisionRow const> revisions;
  std::span<VertexId const> hidden;
  std::span<VertexId const> deprecated;
};

struct StoreStats {
  std::uint64_t file_bytes = 0;  ///< pages in use times page size
  TxId head = TxId{0};
  std::uint64_t records = 0;  ///< contents, every revision counted
};

/// Who holds a store (for the message of a second opener).
struct StoreHolder {
  int pid = 0;
};

/// An open store. `append`, `commit` and `abandon` belong to one writer thread; all `const` members may be called from
/// any thread. Reads are short transactions: nothing returned views the map. Environment failures (I/O, full disk apart
/// from `commit`) are thrown as std::system_error with the name of the LMDB call.
class Store final : public schema::RecordReader {
 public:
  /// Opens or creates the store in `directory` and takes its lock. Fails with `conflict` (message names the pid) where
  /// another process holds it, `corrupt` where it is no store of this format or its head does not read, `not_found`
  /// where it is to be read only and is not there.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(std::filesystem::path const& directory,
                                                           StoreOptions const& options = {});
  ~Store() override;

  /// Adds a transaction to the open group. `commit.entry.tx` is one above the last appended.
  void append(Commit commit);

  /// Adds an answer that no transaction of its own carries (of a batch that changed nothing) to the open group. `key`
  /// has none yet.
  void keep_answer(std::string_view key, schema::stored::KeptAnswer answer);

  /// Makes the group durable: one LMDB transaction, one fdatasync. On `storage_full` nothing of the group is kept and
  /// the store goes on. O(group).
  [[nodiscard]] Result<void> commit();

  /// Forgets the open group.
  void abandon();

  /// Every transaction in order, from the packed graph table. Stops with `corrupt` at the first that does not decode.
  [[nodiscard]] Result<void> replay(std::function<void(ReplayedCommit const&)> const& visit) const;

  /// The transactions from `first` on, in order, until `visit` returns false or the head on disk was visited. Holds a
  /// read transaction of LMDB meanwhile: stop after a slice. `visit` may read records. Fails as `replay`.
  [[nodiscard]] Result<void> read_commits(TxId first, std::function<bool(ReplayedCommit const&)> const& visit) const;

  /// What the key answered, the open group included. Only for the writer thread.
  [[nodiscard]] Result<std::optional<schema::stored::KeptAnswer>> find_kept_answer(std::string_view key) const;

  [[nodiscard]] Result<void> read(std::span<schema::ContentId const> contents,
                                  std::function<bool(std::size_t, schema::Record&&)> const& visit) const override;

  /// What is on disk; the blobs of the open group are not seen.
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override;

  /// One log entry; `not_found` above the head.
  [[nodiscard]] Result<schema::stored::LogEntry> log_entry(TxId tx) const;

  /// Opaque, changes when the log is replaced. A UUID.
  [[nodiscard]] std::string epoch() const;
  [[nodiscard]] StoreStats stats() const;

  /// Gives back the memory of pages that reading a large part of the store has touched. For long scans, now and then;
  /// callable from any thread.
  void forget_touched_pages() const noexcept;

  /// Copies a consistent state into `directory`, which must not exist, while writes go on. Compacts. Fails with
  /// `conflict` where it exists. Returns the transaction it holds.
  struct BackupResult {
    TxId tx;
    std::uint64_t bytes;
  };
  [[nodiscard]] Result<BackupResult> backup(std::filesystem::path const& directory) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Copies a backup into `directory` (absent or empty, else `conflict`) and gives it a new epoch.
[[nodiscard]] Result<void> restore(std::filesystem::path const& backup, std::filesystem::path const& directory);

/// The process that holds the store in `directory`, if any.
[[nodiscard]] std::optional<StoreHolder> find_holder(std::filesystem::path const& directory);

}  // namespace whence::store
