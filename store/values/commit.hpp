#pragma once
// One transaction on its way to disk, and on its way back.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/stored/codec.hpp"
#include "schema/stored/sealed.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::store {

/// Bytes to be kept under their SHA-256.
struct Blob {
  schema::Digest digest;
  std::string bytes;
};

/// A vertex whose contents go: those of numbers 0 to `last_revision`.
struct Gone {
  schema::VertexId vertex;
  schema::RecordType type;
  std::uint32_t last_revision = 0;
};

/// What `Store::stage` made of rows and their contents. Without values where these are packed with their whole group.
struct Staged {
  std::size_t count = 0;                     ///< of rows
  std::vector<std::byte> rows = {};          ///< encoded, one after the other
  std::vector<std::byte> values = {};        ///< of the contents, one after the other
  std::vector<std::size_t> value_ends = {};  ///< where each value ends
};

/// One transaction as it goes to disk. The changes of its entry are in the order of their kinds' ranks.
struct Commit {
  schema::stored::LogEntry entry;  ///< the store fills in `previous`, `rows`, and the digests of `put` and `revise`
  std::vector<VertexRow> rows;     ///< one per `put` change, same order
  std::vector<RevisionRow> revisions = {};         ///< one per `revise` change, same order
  std::vector<schema::stored::Sealed> contents;    ///< one per `put`, then one per `revise` change
  std::vector<Staged> staged = {};                 ///< of all rows and contents in order; else `append` stages them
  std::vector<Gone> gone = {};                     ///< one per `expire`, then one per `purge` change, same order
  std::vector<Blob> blobs = {};                    ///< what is stored already is not stored twice
  std::vector<schema::Digest> removed_blobs = {};  ///< which no content names any more
  std::optional<schema::stored::KeptAnswer> kept_answer = {};  ///< stored under `entry.idempotency_key`
};

/// A moment from which the log is replayed: after transaction `tx`, which is on disk, when there were so many.
struct ReplayStart {
  schema::TxId tx = schema::TxId{0};
  std::uint64_t vertices = 0;
  std::uint64_t revisions = 0;
};

/// One transaction as it is replayed at start-up.
struct ReplayedCommit {
  schema::TxId tx;
  schema::Time at;
  std::span<VertexRow const> rows;
  std::span<RevisionRow const> revisions;
  std::span<schema::VertexId const> hidden;
  std::span<schema::VertexId const> deprecated;
  std::span<schema::VertexId const> expired = {};
  std::span<schema::VertexId const> purged = {};
};

/// A content of a transaction that another node wrote. A view, like the commit it comes with.
struct ReceivedContent {
  schema::ContentId content;
  schema::RecordType type;
  std::span<std::byte const> words;  ///< stored form
};

/// Called with each transaction of a group that another node wrote, and with its contents: those of the rows, then
/// those of the revisions.
using Receive = std::function<void(ReplayedCommit const&, std::span<ReceivedContent const>)>;

/// A transaction on disk as a group of its own, for another store. A view.
struct SentGroup {
  schema::TxId tx;
  schema::Time at;
  schema::Digest leaf;       ///< of its entry
  std::uint64_t purged = 0;  ///< vertices whose contents it purged
  std::span<std::byte const> message;
};

/// The last transaction and its leaf hash; zero where there is none.
struct LogEnd {
  schema::TxId tx = schema::TxId{0};
  schema::Digest leaf = {};
};

/// What a transaction from a backup did beside what its rows say.
struct TakenGroup {
  schema::TxId tx;
  schema::Time at;
  std::vector<std::uint64_t> lacking = {};  ///< keys of its contents that were gone when the backup was made
  std::vector<std::uint64_t> removed = {};  ///< keys of contents that it expired or purged
};

/// Whether a group that another node wrote comes next.
enum class Following : std::uint8_t {
  does,      ///< its first transaction comes after the head
  is_past,   ///< it begins before the head, and is known
  is_ahead,  ///< something is missing before it
};

}  // namespace whence::store
