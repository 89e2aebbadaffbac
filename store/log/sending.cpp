// Transactions on disk as another store appends them: what segments of a backup are made of.

#include "schema/stored/blobs.hpp"
#include "schema/stored/sealed.hpp"
#include "schema/stored/shared_group.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"
#include "store/rows/graph_block.hpp"
#include "store/rows/row_codec.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

namespace whence::store {
namespace {

using schema::stored::ChangeKind;
using schema::stored::SharedGroup;

constexpr std::size_t slice_bytes_enough = std::size_t{4} << 20;

Error broken(std::uint64_t tx, std::string const& what) {
  return {Errc::corrupt, "transaction " + std::to_string(tx) + " " + what};
}

/// A transaction that was read, on its own.
struct ReadGroup {
  TxId tx;
  schema::Time at;
  schema::Digest leaf;
  std::uint64_t purged;
  schema::stored::Words message;
};

/// Makes the group of one transaction after the other. What it views is the map's, or its own until the next.
class GroupReader {
 public:
  GroupReader(OpenStore const& open, Transaction const& txn) : open_{open}, txn_{txn} {}

  [[nodiscard]] Result<ReadGroup> read(std::uint64_t tx) {
    rooms_.clear();
    auto const entry_bytes = find_whole(Table::log, tx);
    if (!entry_bytes) return entry_bytes.error();
    auto const packed = find_whole(Table::graph, tx);
    if (!packed) return packed.error();
    auto const block = open_.unpacker.unpack(txn_, *packed, rooms_.emplace_back());
    if (!block) return block.error();
    auto const entry = schema::stored::decode_log_entry(*entry_bytes);
    if (!entry) return entry.error();
    SharedGroup group{.epoch = open_.committed.epoch, .base = TxId{tx - 1}, .previous = entry->previous};
    group.transactions.push_back({*entry_bytes, *block});
    if (auto const read = read_contents(tx, *block, group); !read) return read.error();
    if (auto const read = read_answer(*entry, group); !read) return read.error();
    return ReadGroup{.tx = entry->tx,
                     .at = entry->at,
                     .leaf = schema::stored::leaf_hash(*entry_bytes),
                     .purged = schema::stored::changes_of(*entry, ChangeKind::purge).size(),
                     .message = schema::stored::encode(group)};
  }

 private:
  using View = std::span<std::byte const>;

  [[nodiscard]] Result<View> find_whole(Table table, std::uint64_t tx) const {
    auto const found = find(open_.environment, txn_, table, tx);
    if (!found) return found.error();
    if (!*found) return broken(tx, "is not in the log");
    return **found;
  }

  /// The block says which contents the transaction brought.
  [[nodiscard]] Result<void> read_contents(std::uint64_t tx, View block, SharedGroup& group) {
    BlockReader reader;
    VertexRow row = blank_row();
    RevisionRow revision = blank_revision_row();
    if (!reader.start(block)) return broken(tx, "has rows that do not decode");
    for (std::uint32_t i = 0; i < reader.head().row_count; ++i) {
      if (!reader.next(row)) return broken(tx, "has rows that do not decode");
      if (auto const added = add({row.vertex}, row.type, group.contents, group); !added) return added;
    }
    for (std::uint32_t i = 0; i < reader.head().revision_count; ++i) {
      if (!reader.next(revision)) return broken(tx, "has rows that do not decode");
      auto const added = add({revision.vertex, revision.revision}, revision.type, group.revised, group);
      if (!added) return added;
    }
    return {};
  }

  /// A content that is gone has no words.
  [[nodiscard]] Result<void> add(schema::ContentId content, schema::RecordType type,
                                 std::vector<SharedGroup::Content>& into, SharedGroup& group) {
    auto const key = record_key(content, type);
    auto const value = find(open_.environment, txn_, Table::records, key);
    if (!value) return value.error();
    if (!*value) return Error{Errc::corrupt, "the content of " + name_of(content) + " is missing"};
    into.push_back({key, {}});
    if (is_gone(**value)) return {};
    auto const words = open_.unpacker.unpack(txn_, **value, rooms_.emplace_back());
    if (!words) return words.error();
    into.back().words = *words;
    if (std::ranges::find(schema::stored::types_with_blobs(), type) == schema::stored::types_with_blobs().end()) {
      return {};
    }
    auto const record = schema::stored::unseal(type, *words);
    if (!record) return record.error();
    for (auto const& digest : schema::stored::blobs_of(*record)) {
      if (auto const added = add_blob(digest, group); !added) return added;
    }
    return {};
  }

  [[nodiscard]] Result<void> add_blob(schema::Digest const& digest, SharedGroup& group) {
    auto const value = find_blob(open_.environment, txn_, digest, rooms_.emplace_back());
    if (!value) return value.error();
    if (!*value || is_gone(**value)) return Error{Errc::corrupt, "the blob " + schema::to_hex(digest) + " is missing"};
    auto const bytes = open_.unpacker.unpack(txn_, **value, rooms_.emplace_back());
    if (!bytes) return bytes.error();
    group.blobs.push_back(*bytes);
    return {};
  }

  [[nodiscard]] Result<void> read_answer(schema::stored::LogEntry const& entry, SharedGroup& group) {
    if (entry.idempotency_key.empty()) return {};
    auto const key = answer_key(entry.idempotency_key);
    auto const value = find(open_.environment, txn_, Table::keys, std::as_bytes(std::span{key.bytes}));
    if (!value) return value.error();
    if (!*value) return {};
    auto const answer = open_.unpacker.unpack(txn_, **value, rooms_.emplace_back());
    if (!answer) return answer.error();
    group.answers.push_back({key, *answer});
    return {};
  }

  OpenStore const& open_;
  Transaction const& txn_;
  std::deque<Bytes> rooms_;
};

/// What was read in one transaction of LMDB.
struct Slice {
  std::vector<ReadGroup> groups;
  bool is_end = false;  ///< the last of them was the head when they were read
};

/// Some of the transactions from `next` on, at least one if there is one.
Result<Slice> read_slice(OpenStore const& open, std::uint64_t next) {
  Transaction const txn{open.environment, Transaction::Kind::read};
  auto const head = read_head(open.environment, txn);
  if (!head) return head.error();
  auto const end = schema::number(head->tx);
  GroupReader reader{open, txn};
  Slice slice;
  for (std::size_t bytes = 0; next <= end && bytes < slice_bytes_enough; ++next) {
    auto group = reader.read(next);
    if (!group) return group.error();
    bytes += schema::stored::bytes_of(group->message).size();
    slice.groups.push_back(std::move(*group));
  }
  slice.is_end = next > end;
  return slice;
}

}  // namespace

// A content that is gone was removed by a transaction up to the head of the moment in which it was read. So that this
// one is read too, reading ends where the last transaction was the head in its own transaction of LMDB.
Result<void> Store::read_groups(TxId after, TxId last,
                                std::function<Result<bool>(SentGroup const&)> const& visit) const {
  for (std::uint64_t next = schema::number(after) + 1; next <= schema::number(last);) {
    auto const slice = read_slice(*open_, next);
    if (!slice) return slice.error();
    for (auto const& group : slice->groups) {
      auto const visited = visit({.tx = group.tx,
                                  .at = group.at,
                                  .leaf = group.leaf,
                                  .purged = group.purged,
                                  .message = schema::stored::bytes_of(group.message)});
      if (!visited) return visited.error();
      if (!*visited) return {};
    }
    next += slice->groups.size();
    if (slice->is_end) return {};
    last = std::max(last, TxId{next});
  }
  return {};
}

Result<LogEnd> Store::log_end() const {
  Transaction const txn{open_->environment, Transaction::Kind::read};
  auto const head = read_head(open_->environment, txn);
  if (!head) return head.error();
  return LogEnd{.tx = head->tx, .leaf = head->tx == TxId{0} ? schema::Digest{} : head->leaf};
}

Result<schema::Digest> Store::leaf_hash(TxId tx) const {
  if (tx == TxId{0}) return schema::Digest{};
  Transaction const txn{open_->environment, Transaction::Kind::read};
  auto const found = find(open_->environment, txn, Table::log, schema::number(tx));
  if (!found) return found.error();
  if (!*found) return Error{Errc::not_found, "there is no transaction " + std::to_string(schema::number(tx))};
  return schema::stored::leaf_hash(**found);
}

}  // namespace whence::store
