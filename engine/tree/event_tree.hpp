#pragma once
// The Merkle tree over the events of a log (RFC 9162), on disk beside the store. It follows from the log and is made
// anew from it where it is lost.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "store/files/files.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace whence::engine {

/// The hashes of a growing list of events, of which each transaction adds some. One thread appends; all `const` members
/// may be called from any thread. Failures of the file system are thrown as std::system_error.
///
/// Files in the folder: `level-0` holds the leaf hashes, `level-8`, `level-16`, ... the roots of 256 whole entries of
/// the file before, 32 bytes each; `sizes` the number of events after each transaction, 8 bytes each, little-endian;
/// `head` of which log the others are, up to where they are on disk, and the root there.
///
/// Invariant: what `tx()` covers is in the files, and does not change.
class EventTree {
 public:
  /// The hash of the entry `tx` of the log; `not_found` where it has none.
  using FindLeaf = std::function<Result<schema::Digest>(schema::TxId tx)>;

  /// The tree in `directory`, empty where there is none, or where it is no tree of the log `epoch`, whose entries
  /// `find_leaf` gives. O(log size).
  EventTree(std::filesystem::path directory, std::string epoch, FindLeaf find_leaf);

  /// The last transaction whose events are in it.
  [[nodiscard]] schema::TxId tx() const;
  /// The number of events.
  [[nodiscard]] std::uint64_t size() const;
  /// After transaction `tx`, at most `tx()`.
  [[nodiscard]] std::uint64_t size_after(schema::TxId tx) const;
  /// The first transaction after which there are more than `index` events; `index` is below `size()`. O(log tx).
  [[nodiscard]] schema::TxId tx_of(std::uint64_t index) const;

  /// The root of the whole subtree over the events `index` * 2^`level` and on, all of which are there. O(256).
  [[nodiscard]] schema::Digest node(unsigned level, std::uint64_t index) const;
  /// `count` nodes of the height 8 * `tile_level` from `first` on, 32 bytes each, all of which are there.
  [[nodiscard]] std::string nodes(unsigned tile_level, std::uint64_t first, std::uint64_t count) const;
  /// How many nodes of the height 8 * `tile_level` there are.
  [[nodiscard]] std::uint64_t count(unsigned tile_level) const;
  /// The root over the first `size` events. O(log² size).
  [[nodiscard]] schema::Digest root(std::uint64_t size) const;

  /// Adds the hashes of the events of the next transaction, in order. All or none: it may be tried again.
  void append(std::span<schema::Digest const> leaves);
  /// What was appended is on disk, and is found there by the next start.
  void flush();

 private:
  struct Level {
    store::Descriptor file{};
    std::uint64_t count = 0;
  };

  [[nodiscard]] bool load();
  void start_anew();
  void truncate(std::uint64_t transactions, std::uint64_t size);
  [[nodiscard]] Level& level(unsigned tile_level);
  void append_nodes(unsigned tile_level, std::span<schema::Digest const> nodes);
  [[nodiscard]] std::vector<schema::Digest> read(unsigned tile_level, std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] std::uint64_t size_locked(std::uint64_t tx) const;

  std::filesystem::path const directory_;
  std::string const epoch_;
  FindLeaf const find_leaf_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<Level> levels_;
  Level sizes_;
  bool is_flushed_ = true;
};

}  // namespace whence::engine
