// The store's side of a replicated log: the open group as other nodes get it, and groups that other nodes wrote.

#include "schema/stored/sealed.hpp"
#include "schema/stored/shared_group.hpp"
#include "store/lmdb/gone.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"
#include "store/rows/graph_block.hpp"
#include "store/rows/row_codec.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace whence::store {
namespace {

using schema::stored::ChangeKind;
using schema::stored::LogEntry;
using schema::stored::SharedGroup;

Error corrupt(TxId tx, std::string const& what) {
  return {Errc::corrupt, "transaction " + std::to_string(schema::number(tx)) + " of the replicated log " + what};
}

Error other_epoch(Epoch const& log, Epoch const& own) {
  return {Errc::conflict,
          "the replicated log is of another epoch: " + to_text(log) + ", that of the store is " + to_text(own)};
}

Error other_transaction(TxId tx) {
  return {Errc::conflict,
          "the replicated log has another transaction " + std::to_string(schema::number(tx)) + " than this store"};
}

/// Whether the chain of hashes does. A log begins with its key of made ids, which an empty store takes.
bool goes_on(Head const& head, SharedGroup const& group) {
  return head.tx == TxId{0} || group.previous == head.leaf;
}

/// Leaf hash of the last entry at or before the group's end.
schema::Digest leaf_of(SharedGroup const& group) {
  return group.transactions.empty() ? group.previous : schema::stored::leaf_hash(group.transactions.back().entry);
}

std::vector<SharedGroup::Content> views_of(std::span<Group::Content const> contents) {
  std::vector<SharedGroup::Content> views;
  views.reserve(contents.size());
  for (auto const& each : contents) views.push_back({each.key, schema::stored::bytes_of(each.words)});
  return views;
}

template <class T>
std::vector<T> since(std::vector<T> const& all, std::size_t begin) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.end()};
}

schema::stored::Words words_of(std::span<std::byte const> bytes) {
  schema::stored::Words words(bytes.size() / sizeof(std::uint64_t));
  std::ranges::copy(bytes.first(words.size() * sizeof(std::uint64_t)),
                    std::as_writable_bytes(std::span{words}).begin());
  return words;
}

bool are_listed(std::vector<schema::VertexId> const& listed, LogEntry const& entry, ChangeKind kind) {
  return std::ranges::equal(listed, schema::stored::changes_of(entry, kind), {}, {}, &schema::stored::Change::vertex);
}

/// The transactions of a group that another node wrote, checked and staged one after the other.
class Receiver {
 public:
  Receiver(OpenStore& open, SharedGroup const& received) : open_{open}, received_{received} {}

  /// Of a backup: contents may be gone already; their keys are added to `lacking`.
  Receiver(OpenStore& open, SharedGroup const& received, std::vector<std::uint64_t>& lacking)
      : open_{open}, received_{received}, lacking_{&lacking} {}

  [[nodiscard]] Result<void> run(Receive const& visit) {
    if (open_.staged.tx == TxId{0}) take_key();
    for (auto const& transaction : received_.transactions) {
      if (auto taken = take(transaction, visit); !taken) return taken;
    }
    if (contents_taken_ != received_.contents.size() || revised_taken_ != received_.revised.size()) {
      return corrupt(open_.staged.tx, "brings contents that no row has");
    }
    return {};
  }

 private:
  void take_key() {
    open_.staged.leaf = received_.previous;
    open_.id_key.set({received_.previous.bytes});
  }

  [[nodiscard]] Result<void> take(SharedGroup::Transaction const& transaction, Receive const& visit) {
    auto const tx = schema::next(open_.staged.tx);
    auto entry = schema::stored::decode_log_entry(transaction.entry);
    if (!entry) return entry.error();
    if (entry->tx != tx || entry->previous != open_.staged.leaf) return corrupt(tx, "does not follow the one before");
    BlockReader block;
    if (!block.start(transaction.block)) return corrupt(tx, "has rows that do not decode");
    auto const& head = block.head();
    bool const are_its = head.first_vertex == open_.staged.vertices && head.at == entry->at &&
                         schema::sha256(transaction.block) == entry->rows;
    if (!are_its) return corrupt(tx, "has rows of another");
    if (auto rows = read_rows(block, *entry); !rows) return rows;
    if (!block.is_at_end() || !agree(head, *entry)) return corrupt(tx, "has rows that its entry does not name");
    stage(transaction, *entry);
    visit({.tx = tx,
           .at = head.at,
           .rows = rows_,
           .revisions = revisions_,
           .hidden = head.hidden,
           .deprecated = head.deprecated,
           .expired = head.expired,
           .purged = head.purged},
          received_contents_);
    return {};
  }

  [[nodiscard]] static bool agree(BlockHead const& head, LogEntry const& entry) {
    return are_listed(head.hidden, entry, ChangeKind::hide) &&
           are_listed(head.deprecated, entry, ChangeKind::deprecate) &&
           are_listed(head.expired, entry, ChangeKind::expire) && are_listed(head.purged, entry, ChangeKind::purge);
  }

  [[nodiscard]] Result<void> read_rows(BlockReader& block, LogEntry const& entry) {
    received_contents_.clear();
    auto const puts = schema::stored::changes_of(entry, ChangeKind::put);
    auto const revises = schema::stored::changes_of(entry, ChangeKind::revise);
    if (puts.size() != block.head().row_count || revises.size() != block.head().revision_count) {
      return corrupt(entry.tx, "has more or fewer rows than its entry names");
    }
    rows_.assign(puts.size(), blank_row());
    revisions_.assign(revises.size(), blank_revision_row());
    for (std::size_t i = 0; i < puts.size(); ++i) {
      auto const read = read_row(block, rows_[i], puts[i], received_.contents, contents_taken_, open_.group.contents);
      if (!read) return corrupt(entry.tx, read.error().message);
    }
    for (std::size_t i = 0; i < revises.size(); ++i) {
      auto const read =
          read_row(block, revisions_[i], revises[i], received_.revised, revised_taken_, open_.group.revised);
      if (!read) return corrupt(entry.tx, read.error().message);
    }
    return {};
  }

  static schema::ContentId content_of(VertexRow const& row) { return {row.vertex}; }
  static schema::ContentId content_of(RevisionRow const& row) { return {row.vertex, row.revision}; }
  static schema::RevisionKind kind_of(VertexRow const&) { return schema::RevisionKind::whole; }
  static schema::RevisionKind kind_of(RevisionRow const& row) { return row.kind; }

  /// Decodes a row, holds its content against the digest of `change`, and stages the content.
  template <class Row>
  [[nodiscard]] Result<void> read_row(BlockReader& block, Row& row, schema::stored::Change const& change,
                                      std::vector<SharedGroup::Content> const& contents, std::size_t& taken,
                                      std::vector<Group::Content>& staged) {
    if (!block.next(row)) return Error{Errc::corrupt, "has a row that does not decode"};
    if (taken == contents.size()) return Error{Errc::corrupt, "lacks the content of a row"};
    auto const& content = contents[taken++];
    if (lacking_ != nullptr && content.words.empty()) {
      bool const is_named = row.vertex == change.vertex && content.key == record_key(content_of(row), row.type);
      if (!is_named) return Error{Errc::corrupt, "has a row that its entry does not name"};
      staged.push_back(gone_content(content.key));
      received_contents_.push_back({content_of(row), row.type, {}});
      return {};
    }
    auto const commitment = schema::stored::commitment_of(row.type, content.words, kind_of(row));
    bool const is_its = row.vertex == change.vertex && content.key == record_key(content_of(row), row.type) &&
                        commitment && *commitment == change.digest;
    if (!is_its) return Error{Errc::corrupt, "has a row or content that its entry does not name"};
    staged.push_back({.key = content.key, .words = words_of(content.words)});
    received_contents_.push_back({content_of(row), row.type, content.words});
    return {};
  }

  /// Its value is ready: that of what is gone.
  [[nodiscard]] Group::Content gone_content(std::uint64_t key) {
    lacking_->push_back(key);
    Group::Content content{.key = key, .words = {}, .value_begin = open_.group.values.size()};
    put_bytes(open_.group.values, gone_value);
    content.value_end = open_.group.values.size();
    return content;
  }

  void stage(SharedGroup::Transaction const& transaction, LogEntry const& entry) {
    Group& group = open_.group;
    Head& head = open_.staged;
    for (auto const& row : rows_) head.edges += row.edges.size();
    for (auto const& row : revisions_) head.edges += row.edges.size();
    head.vertices += rows_.size();
    head.revisions += revisions_.size();
    head.leaf = schema::stored::leaf_hash(transaction.entry);
    head.tx = entry.tx;
    if (!schema::stored::changes_of(entry, ChangeKind::purge).empty()) head.purged_in = head.tx;
    auto const begin = group.blocks.size();
    group.blocks.insert(group.blocks.end(), transaction.block.begin(), transaction.block.end());
    group.transactions.push_back({entry.tx, words_of(transaction.entry), begin, group.blocks.size()});
  }

  OpenStore& open_;
  SharedGroup const& received_;
  std::vector<std::uint64_t>* lacking_ = nullptr;  ///< null: nothing may lack
  std::size_t contents_taken_ = 0;
  std::size_t revised_taken_ = 0;
  std::vector<VertexRow> rows_;
  std::vector<RevisionRow> revisions_;
  std::vector<ReceivedContent> received_contents_;
};

/// Leaf hash of the entry `tx`, in the open group or on disk.
Result<schema::Digest> find_leaf(OpenStore const& open, TxId tx) {
  for (auto const& each : open.group.transactions) {
    if (each.tx == tx) return schema::stored::leaf_hash(schema::stored::bytes_of(each.entry));
  }
  Transaction const txn{open.environment, Transaction::Kind::read};
  auto const found = find(open.environment, txn, Table::log, schema::number(tx));
  if (!found) return found.error();
  if (!*found) return corrupt(tx, "is not in this store, which has later ones");
  return schema::stored::leaf_hash(**found);
}

/// Of a group that begins before the head: it must be one that the store has. Another one says that the log's servers
/// have not kept what they acknowledged.
Result<void> check_is_known(OpenStore const& open, SharedGroup const& group) {
  if (group.head() == TxId{0}) return {};
  if (group.head() > open.staged.tx) return other_transaction(schema::next(open.staged.tx));
  auto const own = find_leaf(open, group.head());
  if (!own) return own.error();
  if (*own != leaf_of(group)) return other_transaction(group.head());
  return {};
}

/// Blobs and answers that are known already are left out.
Result<void> stage_rest(OpenStore& open, SharedGroup const& received) {
  Group& group = open.group;
  group.gone.insert(group.gone.end(), received.gone.begin(), received.gone.end());
  group.remove_blobs(received.removed_blobs);
  Transaction const txn{open.environment, Transaction::Kind::read};
  for (auto const bytes : received.blobs) {
    auto const digest = schema::sha256(bytes);
    auto const state = find_blob_state(open.environment, txn, digest);
    if (!state) return state.error();
    Blob blob{digest, std::string{reinterpret_cast<char const*>(bytes.data()), bytes.size()}};
    if (group.add_blob(std::move(blob), *state)) ++open.staged.blobs;
  }
  for (auto const& answer : received.answers) {
    auto const known = find(open.environment, txn, Table::keys, std::as_bytes(std::span{answer.key.bytes}));
    if (!known) return known.error();
    if (*known || std::ranges::find(group.answers, answer.key, &Group::Answer::key) != group.answers.end()) continue;
    group.answers.push_back({answer.key, {answer.value.begin(), answer.value.end()}});
    ++open.staged.kept_answers;
  }
  return {};
}

/// The vertices whose contents the entry removes.
std::vector<schema::VertexId> removed_by(LogEntry const& entry) {
  std::vector<schema::VertexId> removed;
  for (ChangeKind const kind : {ChangeKind::expire, ChangeKind::purge}) {
    for (auto const& change : schema::stored::changes_of(entry, kind)) removed.push_back(change.vertex);
  }
  return removed;
}

/// The keys of all contents of `vertices` on disk.
Result<std::vector<std::uint64_t>> find_content_keys(OpenStore const& open,
                                                     std::vector<schema::VertexId> const& vertices) {
  std::vector<std::uint64_t> keys;
  Transaction const txn{open.environment, Transaction::Kind::read};
  Cursor records{open.environment, txn, Table::records};
  for (auto const vertex : vertices) {
    for (auto entry = records.seek(first_record_key({vertex}));; entry = records.next()) {
      if (!entry) return entry.error();
      auto const key = *entry ? (*entry)->number() : std::nullopt;
      if (!key || content_of(*key).vertex != vertex) break;
      keys.push_back(*key);
    }
  }
  return keys;
}

/// The entry of a group that `Store::read_groups` made, which comes after `head`.
Result<LogEntry> entry_of_sent(SharedGroup const& group, Head const& head) {
  auto const next = schema::next(head.tx);
  if (group.epoch != head.epoch) {
    return Error{Errc::conflict, "transaction " + std::to_string(schema::number(group.head())) +
                                     " is of another store: of epoch " + to_text(group.epoch) + ", not " +
                                     to_text(head.epoch)};
  }
  bool const follows = group.base == head.tx && goes_on(head, group) && group.transactions.size() == 1;
  if (!follows) {
    return Error{Errc::corrupt, "transaction " + std::to_string(schema::number(group.head())) +
                                    " does not follow transaction " + std::to_string(schema::number(head.tx))};
  }
  auto entry = schema::stored::decode_log_entry(group.transactions.front().entry);
  if (entry && entry->tx != next) return corrupt(next, "has the number of another");
  return entry;
}

}  // namespace

bool Store::has_unshared() const {
  Group const& group = open_->group;
  return group.transactions.size() > group.shared.transactions || group.answers.size() > group.shared.answers;
}

schema::stored::Words Store::next_shared_group() {
  Group& group = open_->group;
  assert(group.values.empty());  // nothing was packed ahead
  auto const before = std::exchange(group.shared, {.transactions = group.transactions.size(),
                                                   .contents = group.contents.size(),
                                                   .revised = group.revised.size(),
                                                   .gone = group.gone.size(),
                                                   .removed_blobs = group.removed_blobs.size(),
                                                   .blobs = group.blobs.size(),
                                                   .answers = group.answers.size()});
  SharedGroup shared{.epoch = open_->committed.epoch,
                     .base = open_->committed.tx,
                     .previous = open_->committed.leaf,
                     .contents = views_of(std::span{group.contents}.subspan(before.contents)),
                     .revised = views_of(std::span{group.revised}.subspan(before.revised)),
                     .gone = since(group.gone, before.gone),
                     .removed_blobs = since(group.removed_blobs, before.removed_blobs)};
  if (before.transactions > 0) {
    auto const& last = group.transactions[before.transactions - 1];
    shared.base = last.tx;
    shared.previous = schema::stored::leaf_hash(schema::stored::bytes_of(last.entry));
  }
  std::span<std::byte const> const blocks{group.blocks};
  for (auto const& each : std::span{group.transactions}.subspan(before.transactions)) {
    shared.transactions.push_back(
        {schema::stored::bytes_of(each.entry), blocks.subspan(each.block_begin, each.block_end - each.block_begin)});
  }
  for (auto const& blob : std::span{group.blobs}.subspan(before.blobs)) {
    shared.blobs.push_back(std::as_bytes(std::span{blob.bytes}));
  }
  for (auto const& answer : std::span{group.answers}.subspan(before.answers)) {
    shared.answers.push_back({answer.key, answer.value});
  }
  return schema::stored::encode(shared);
}

Result<Following> Store::append_received(std::span<std::byte const> message, Receive const& visit) {
  Following following = Following::does;
  auto const received = schema::stored::decode_shared_group(message, [&](SharedGroup const& group) -> Result<void> {
    Head const& head = open_->staged;
    if (group.epoch != head.epoch) return other_epoch(group.epoch, head.epoch);
    if (group.base > head.tx) following = Following::is_ahead;
    if (group.base < head.tx) following = Following::is_past;
    if (following == Following::is_past) return check_is_known(*open_, group);
    if (following == Following::is_ahead) return {};
    if (!goes_on(head, group)) return corrupt(head.tx, "is not the one that this store has");
    if (auto taken = Receiver{*open_, group}.run(visit); !taken) return taken;
    return stage_rest(*open_, group);
  });
  if (received) return following;
  open_->drop_group();
  return received.error();
}

Result<std::optional<TakenGroup>> Store::append_sent(std::span<std::byte const> message,
                                                     std::optional<schema::Time> until) {
  using Taken = std::optional<TakenGroup>;
  TakenGroup taken{.tx = TxId{0}, .at = {}};
  bool is_late = false;
  auto const done = schema::stored::decode_shared_group(message, [&](SharedGroup const& group) -> Result<void> {
    auto const entry = entry_of_sent(group, open_->staged);
    if (!entry) return entry.error();
    is_late = until && entry->at > *until;
    if (is_late) return {};
    auto const removed = removed_by(*entry);
    if (!removed.empty()) {  // all contents that go are on disk then
      if (auto const committed = commit(); !committed) return committed;
      auto keys = find_content_keys(*open_, removed);
      if (!keys) return keys.error();
      taken.removed = std::move(*keys);
    }
    taken.tx = entry->tx;
    taken.at = entry->at;
    Receive const ignore = [](ReplayedCommit const&, std::span<ReceivedContent const>) {};
    if (auto run = Receiver{*open_, group, taken.lacking}.run(ignore); !run) return run;
    open_->group.gone.insert(open_->group.gone.end(), taken.removed.begin(), taken.removed.end());
    return stage_rest(*open_, group);
  });
  if (done) return is_late ? Taken{} : Taken{std::move(taken)};
  open_->drop_group();
  return done.error();
}

Result<void> Store::check_is_head(std::span<std::byte const> message) const {
  return schema::stored::decode_shared_group(message, [&](SharedGroup const& group) -> Result<void> {
    Head const& head = open_->committed;
    if (group.epoch != head.epoch) return other_epoch(group.epoch, head.epoch);
    if (group.head() == head.tx && leaf_of(group) == head.leaf) return {};
    return other_transaction(head.tx);
  });
}

Result<void> Store::adopt_epoch(std::span<std::byte const> message) {
  Head head = open_->committed;
  auto adoptable = schema::stored::decode_shared_group(message, [&](SharedGroup const& group) -> Result<void> {
    bool const is_empty = head.tx == TxId{0} && head.kept_answers == 0;
    bool const has_made_head = group.head() == head.tx && leaf_of(group) == head.leaf;
    bool const follows_head = group.base == head.tx && group.previous == head.leaf;
    bool const is_its_history = is_empty || (head.tx != TxId{0} && (has_made_head || follows_head));
    if (group.epoch != head.epoch && !is_its_history) return other_epoch(group.epoch, head.epoch);
    head.epoch = group.epoch;
    if (is_empty && group.base == TxId{0}) head.leaf = group.previous;
    return {};
  });
  if (!adoptable) return adoptable;
  if (head == open_->committed) return {};
  Transaction txn{open_->environment, Transaction::Kind::write};
  require_written(write_head(open_->environment, txn, head), "mdb_put (meta)", open_->environment);
  require_written(txn.commit(), "mdb_txn_commit", open_->environment);
  open_->committed = open_->staged = head;
  open_->epoch = to_text(head.epoch);
  if (head.tx == TxId{0}) open_->id_key.set({head.leaf.bytes});
  return {};
}

}  // namespace whence::store
