#pragma once
// The parts of an open store.

#include "schema/base/digest.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/head.hpp"
#include "store/lmdb/tables.hpp"
#include "store/packing/packing.hpp"
#include "store/rows/bytes.hpp"
#include "store/values/commit.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace whence::store {

/// Transactions appended and not yet committed. Keeps its storage from group to group.
struct Group {
  struct Transaction {
    schema::TxId tx;
    schema::stored::Words entry;
    std::size_t block_begin;  ///< its block in `blocks`
    std::size_t block_end;
  };
  struct Content {
    std::uint64_t key;
    schema::stored::Words words;  ///< of a content that is packed with its group
    std::size_t value_begin = 0;  ///< else its value in `values`
    std::size_t value_end = 0;
  };
  struct Answer {
    schema::Digest key;
    Bytes value;
  };

  std::vector<Transaction> transactions;
  Bytes blocks;
  Bytes values;
  std::vector<Content> contents;              ///< of new vertices, in order of their keys
  std::vector<Content> revised;               ///< of earlier vertices
  std::vector<std::uint64_t> gone;            ///< keys of contents that go
  std::vector<schema::Digest> removed_blobs;  ///< they go before `blobs` come
  std::vector<Blob> blobs;                    ///< none of them on disk, or one of `removed_blobs`
  std::set<schema::Digest> blob_digests;      ///< of `blobs`
  std::set<schema::Digest> gone_blobs;        ///< `removed_blobs`
  std::vector<Answer> answers;
  std::map<std::string, schema::stored::KeptAnswer, std::less<>> answers_by_key;

  /// How much of each list other nodes were given (`Store::next_shared_group`).
  struct Shared {
    std::size_t transactions = 0;
    std::size_t contents = 0;
    std::size_t revised = 0;
    std::size_t gone = 0;
    std::size_t removed_blobs = 0;
    std::size_t blobs = 0;
    std::size_t answers = 0;
  };
  Shared shared;

  /// Adds a blob that was found `on_disk` as said before the group; whether its key is new. One that is kept, or here
  /// already, is not stored twice.
  [[nodiscard]] bool add_blob(Blob blob, BlobState on_disk);
  /// Removes blobs, those that the group added among them. O(removed log blobs), O(blobs) where it added one.
  void remove_blobs(std::span<schema::Digest const> digests);
  void clear();
};

/// A key that any thread may ask for. An empty store that joins a log takes the log's.
class SecretKeyBox {
 public:
  explicit SecretKeyBox(schema::SecretKey const& key) : key_{key} {}

  [[nodiscard]] schema::SecretKey get() const {
    std::lock_guard const lock(mutex_);
    return key_;
  }
  void set(schema::SecretKey const& key) {
    std::lock_guard const lock(mutex_);
    key_ = key;
  }

 private:
  std::mutex mutable mutex_;
  schema::SecretKey key_;
};

/// Invariants: 1. `committed` equals the head in the file. 2. `staged` is `committed` with `group` applied; they are
/// equal while the group is empty. 3. Only the writer touches anything here but `environment`, `unpacker`, `epoch`,
/// `id_key` and the `visible_` numbers.
struct OpenStore {
  std::optional<DirectoryLock> lock;  ///< let go after the environment has closed
  Environment environment;
  Unpacker unpacker;
  std::optional<Packer> packer;  ///< absent where the store is only read
  bool is_shared = false;        ///< groups keep their contents as words, for other nodes
  std::string epoch;
  SecretKeyBox id_key;
  Head committed;
  Head staged;
  Group group;
  NoRoom no_room = NoRoom::disk;  ///< of the last group that found none
  std::atomic<std::uint64_t> visible_tx = 0;
  std::atomic<std::uint64_t> visible_purge = 0;
  std::atomic<std::uint64_t> visible_records = 0;

  OpenStore(std::optional<DirectoryLock> held, Environment opened, Head const& head, schema::SecretKey const& key);

  /// The group is on disk.
  void accept_group();
  /// The group never was.
  void drop_group();
};

}  // namespace whence::store
