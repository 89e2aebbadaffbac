// Opening, and the writer's side: staging transactions and making a group of them durable. Reading is in reading.cpp.

#include "store/log/store.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/rows/graph_block.hpp"
#include "store/rows/row_codec.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace whence::store {
namespace {

using schema::stored::Change;
using schema::stored::ChangeKind;
using schema::stored::KeptAnswer;
using schema::stored::LogEntry;

/// A failed LMDB call; `code` is success where none failed.
struct Outcome {
  int code = MDB_SUCCESS;
  char const* call = "";
};

/// Whether the log ends with the entry that the head names.
Result<void> check_log_end(Environment const& environment, Transaction const& txn, Head const& head) {
  if (head.tx == TxId{0}) return {};
  auto const found = find(environment, txn, Table::log, schema::number(head.tx));
  if (!found) return found.error();
  if (*found && schema::stored::leaf_hash(**found) == head.leaf) return {};
  return Error{Errc::corrupt, "the last entry of the log is not the one that the head of the store names"};
}

Result<Head> read_checked_head(Environment const& environment) {
  Transaction const txn{environment, Transaction::Kind::read};
  Result<Head> head = read_head(environment, txn);
  if (!head) return head;
  if (Result<void> const end = check_log_end(environment, txn, *head); !end) return end.error();
  return head;
}

/// Of a log whose end was checked: its first entry names it.
Result<schema::SecretKey> read_id_key(Environment const& environment, Head const& head) {
  if (head.tx == TxId{0}) return schema::SecretKey{head.leaf.bytes};
  Transaction const txn{environment, Transaction::Kind::read};
  auto const found = find(environment, txn, Table::log, 1);
  if (!found) return found.error();
  auto const first = *found ? schema::stored::decode_log_entry(**found)
                            : Result<LogEntry>{Error{Errc::corrupt, "the first entry of the log is missing"}};
  if (!first) return first.error();
  return schema::SecretKey{first->previous.bytes};
}

Environment::Options environment_options(StoreOptions const& options) {
  unsigned flags = 0;
  if (!options.is_durable) flags |= MDB_NOSYNC;
  if (options.is_read_only) flags |= MDB_RDONLY;
  return {.map_bytes = options.map_bytes, .flags = flags};
}

/// What is staged of a commit: the commitments go into the changes of the entry, the rest into the group.
class StagedReader {
 public:
  StagedReader(Commit& commit, Group& group) : commit_(commit), group_(group) {
    for (Staged const& staged : commit.staged) put_bytes(group.blocks, staged.rows);
  }

  /// Of the next row, whose change this is.
  Group::Content take(std::uint64_t key, Change& change) {
    while (at_ == commit_.staged[part_].count) {
      ++part_;
      at_ = 0;
    }
    Staged const& staged = commit_.staged[part_];
    Group::Content content{.key = key, .words = {}};
    schema::stored::Sealed& sealed = commit_.contents[taken_++];
    change.digest = sealed.commitment;
    if (staged.value_ends.empty()) {
      content.words = std::move(sealed.words);
    } else {
      std::size_t const begin = at_ == 0 ? 0 : staged.value_ends[at_ - 1];
      content.value_begin = group_.values.size();
      put_bytes(group_.values, std::span{staged.values}.subspan(begin, staged.value_ends[at_] - begin));
      content.value_end = group_.values.size();
    }
    ++at_;
    return content;
  }

 private:
  Commit& commit_;
  Group& group_;
  std::size_t part_ = 0;
  std::size_t at_ = 0;  ///< in the part
  std::size_t taken_ = 0;
};

/// Hands the contents of new vertices to `group`, and fills in the digests of the entry.
void add_records(Commit& commit, StagedReader& staged, Head& head, Group& group) {
  std::span<Change> const puts = schema::stored::changes_of(commit.entry, ChangeKind::put);
  assert(puts.size() == commit.rows.size());
  for (std::size_t i = 0; i < puts.size(); ++i) {
    VertexRow const& row = commit.rows[i];
    assert(row.vertex == puts[i].vertex && schema::number(row.vertex) == head.vertices);
    group.contents.push_back(staged.take(record_key({row.vertex}, row.type), puts[i]));
    ++head.vertices;
    head.edges += row.edges.size();
  }
}

/// The same for the revisions. The vertices of the transaction are added.
void add_revisions(Commit& commit, StagedReader& staged, Head& head, Group& group) {
  std::span<Change> const revises = schema::stored::changes_of(commit.entry, ChangeKind::revise);
  assert(revises.size() == commit.revisions.size());
  for (std::size_t i = 0; i < revises.size(); ++i) {
    RevisionRow const& row = commit.revisions[i];
    assert(row.vertex == revises[i].vertex && schema::number(row.vertex) < head.vertices);
    group.revised.push_back(staged.take(record_key({row.vertex, row.revision}, row.type), revises[i]));
    ++head.revisions;
    head.edges += row.edges.size();
  }
}

std::vector<VertexId> vertices_of(LogEntry const& entry, ChangeKind kind) {
  std::vector<VertexId> vertices;
  for (Change const& change : schema::stored::changes_of(entry, kind)) vertices.push_back(change.vertex);
  return vertices;
}

BlockHead block_head_of(Commit const& commit, std::uint64_t first_vertex) {
  return {.at = commit.entry.at,
          .first_vertex = static_cast<std::uint32_t>(first_vertex),
          .row_count = static_cast<std::uint32_t>(commit.rows.size()),
          .revision_count = static_cast<std::uint32_t>(commit.revisions.size()),
          .hidden = vertices_of(commit.entry, ChangeKind::hide),
          .deprecated = vertices_of(commit.entry, ChangeKind::deprecate),
          .expired = vertices_of(commit.entry, ChangeKind::expire),
          .purged = vertices_of(commit.entry, ChangeKind::purge)};
}

/// Notes the keys of contents that go. Revisions of the transaction itself stay.
void stage_gone(std::span<Gone const> gone, Group& group) {
  for (Gone const& each : gone) {
    for (std::uint32_t revision = 0; revision <= each.last_revision; ++revision) {
      group.gone.push_back(record_key({each.vertex, revision}, each.type));
    }
  }
}

/// What is on disk of a blob. Only the writer changes blobs, so the answer holds until it does.
BlobState blob_state(Environment const& environment, schema::Digest const& digest) {
  auto const found = find_blob_state(environment, Transaction{environment, Transaction::Kind::read}, digest);
  if (!found) throw_lmdb(MDB_CORRUPTED, "mdb_get (blobs)");
  return *found;
}

/// What is kept already, or in the group, is not stored twice.
void stage_blobs(Environment const& environment, std::vector<Blob> blobs, Head& head, Group& group) {
  for (Blob& blob : blobs) {
    assert(!blob.bytes.empty() && schema::sha256(blob.bytes) == blob.digest);
    auto const state = blob_state(environment, blob.digest);
    if (group.add_blob(std::move(blob), state)) ++head.blobs;  // what is gone still has its key
  }
}

/// Lets the packer see what it may train dictionaries from.
void show_contents(Group const& group, Packer& packer) {
  for (Group::Transaction const& staged : group.transactions)
    packer.show(Table::graph,
                std::span{group.blocks}.subspan(staged.block_begin, staged.block_end - staged.block_begin));
  for (auto const* const contents : {&group.contents, &group.revised}) {
    for (Group::Content const& content : *contents) {  // what is packed needs no dictionary any more
      packer.show(Table::records, schema::stored::bytes_of(content.words));
    }
  }
  for (Group::Answer const& answer : group.answers) packer.show(Table::keys, answer.value);
  for (Blob const& blob : group.blobs) packer.show(Table::blobs, std::as_bytes(std::span{blob.bytes}));
  packer.train();
}

/// What every group has: entries, blocks, contents and answers, by `put` (table, kind, key, value), which returns
/// LMDB's code.
template <class Put>
Outcome put_usual(Group const& group, Packer& packer, Put const& put) {
  std::span<std::byte const> const blocks{group.blocks};
  for (Group::Transaction const& staged : group.transactions) {
    std::uint64_t const tx = schema::number(staged.tx);
    auto const key = std::as_bytes(std::span{&tx, 1});
    auto const block = blocks.subspan(staged.block_begin, staged.block_end - staged.block_begin);
    int code = put(Table::log, PutKind::append, key, schema::stored::bytes_of(staged.entry));
    if (code != MDB_SUCCESS) return {code, "mdb_put (log)"};
    code = put(Table::graph, PutKind::append, key, packer.pack(Table::graph, block));
    if (code != MDB_SUCCESS) return {code, "mdb_put (graph)"};
  }
  std::span<std::byte const> const values{group.values};
  auto const put_content = [&](Group::Content const& content, PutKind kind) {
    bool const is_packed = content.value_end > content.value_begin;
    auto const value = is_packed ? values.subspan(content.value_begin, content.value_end - content.value_begin)
                                 : packer.pack(Table::records, schema::stored::bytes_of(content.words));
    return put(Table::records, kind, std::as_bytes(std::span{&content.key, 1}), value);
  };
  // New vertices come after all that is there; a revision has its place among the contents of its vertex's time.
  for (auto const& content : group.contents) {
    if (int const code = put_content(content, PutKind::append); code != MDB_SUCCESS) return {code, "mdb_put (records)"};
  }
  for (auto const& content : group.revised) {
    if (int const code = put_content(content, PutKind::add); code != MDB_SUCCESS) return {code, "mdb_put (records)"};
  }
  for (Group::Answer const& answer : group.answers) {
    auto const value = packer.pack(Table::keys, answer.value);
    int const code = put(Table::keys, PutKind::add, std::as_bytes(std::span{answer.key.bytes}), value);
    if (code != MDB_SUCCESS) return {code, "mdb_put (keys)"};
  }
  return {};
}

/// Puts a group into LMDB's tables.
Outcome put_group(Environment const& environment, Transaction const& txn, Group const& group, Packer& packer,
                  Head const& head) {
  auto const put_one = [&](Table table, PutKind kind, std::span<std::byte const> key,
                           std::span<std::byte const> value) {
    return put(environment, txn, table, key, value, flags_of(kind));
  };
  if (Outcome const usual = put_usual(group, packer, put_one); usual.code != MDB_SUCCESS) return usual;
  int code = MDB_SUCCESS;
  for (std::uint64_t const key : group.gone) {
    code = put(environment, txn, Table::records, key, gone_value, 0);
    if (code != MDB_SUCCESS) return {code, "mdb_put (records)"};
  }
  for (schema::Digest const& digest : group.removed_blobs) {
    code = put_blob(environment, txn, digest, gone_value);
    if (code != MDB_SUCCESS) return {code, "mdb_put (blobs)"};
  }
  for (Blob const& blob : group.blobs) {
    auto const value = packer.pack(Table::blobs, std::as_bytes(std::span{blob.bytes}));
    code = put_blob(environment, txn, blob.digest, value);
    if (code != MDB_SUCCESS) return {code, "mdb_put (blobs)"};
  }
  code = packer.put_dictionaries(environment, txn);
  if (code != MDB_SUCCESS) return {code, "mdb_put (meta)"};
  return {write_head(environment, txn, head), "mdb_put (meta)"};
}

bool removes_something(Group const& group) {
  return !group.gone.empty() || !group.removed_blobs.empty();
}

/// Whether a key that the group adds is there already: LMDB refuses such a group, or it brings a blob that was gone.
bool adds_again(Environment const& environment, Group const& group) {
  Transaction const txn{environment, Transaction::Kind::read};
  auto const is_there = [&](Table table, std::span<std::byte const> key) {
    auto const found = find(environment, txn, table, key);
    return !found || *found;
  };
  return std::ranges::any_of(
             group.answers,
             [&](auto const& each) { return is_there(Table::keys, std::as_bytes(std::span{each.key.bytes})); }) ||
         std::ranges::any_of(group.revised,
                             [&](auto const& each) {
                               return is_there(Table::records, std::as_bytes(std::span{&each.key, 1}));
                             }) ||
         std::ranges::any_of(group.blobs, [&](auto const& each) {
           return is_there(Table::blob_numbers, std::as_bytes(std::span{each.digest.bytes}));
         });
}

/// Whether the group is in the journal now. False where it is not for it, or there is no room.
bool put_aside(OpenStore& open) {
  Packer& packer = *open.packer;
  std::size_t const least = open.group.blocks.size() / 4 + open.group.values.size();  // packed it may become so small
  bool const is_for_lmdb = removes_something(open.group) || packer.has_new_dictionaries();
  if (is_for_lmdb || !open.environment.has_journal_room(least)) return false;
  if (adds_again(open.environment, open.group)) return false;
  PutList puts;
  auto const put_one = [&](Table table, PutKind kind, std::span<std::byte const> key,
                           std::span<std::byte const> value) {
    puts.add(table, kind, key, value);
    return MDB_SUCCESS;
  };
  (void)put_usual(open.group, packer, put_one);
  std::uint64_t number = open.committed.blobs;
  for (Blob const& blob : open.group.blobs)
    put_new_blob(puts, number++, blob.digest, packer.pack(Table::blobs, std::as_bytes(std::span{blob.bytes})));
  Head head = open.staged;
  head.written_in = 0;
  std::uint64_t const key = head_key;
  puts.add(Table::meta, PutKind::replace, std::as_bytes(std::span{&key, 1}), encode(head));
  if (!open.environment.has_journal_room(puts.bytes().size())) return false;
  puts.sort();
  return open.environment.append(open.committed, std::move(puts));
}

Outcome write_group(OpenStore& open) {
  Packer& packer = *open.packer;
  show_contents(open.group, packer);
  if (put_aside(open)) return {};
  // Before the transaction: once it is on disk, no byte of what is gone stays beside it.
  if (removes_something(open.group)) remove_checkpoint(open.environment.directory(), CheckpointOf::columns);
  Transaction txn{open.environment, Transaction::Kind::write};
  if (txn.begin_code() != MDB_SUCCESS) return {txn.begin_code(), "mdb_put (journal)"};
  int const code = packer.pack_again(open.environment, txn, open.unpacker);
  if (code != MDB_SUCCESS) return {code, "mdb_put (packed again)"};
  if (Outcome const put = put_group(open.environment, txn, open.group, packer, open.staged); put.code != MDB_SUCCESS)
    return put;
  if (int const failed = txn.commit(); failed != MDB_SUCCESS) return {failed, "mdb_txn_commit"};
  if (removes_something(open.group)) open.environment.remove_journal();  // no byte of what is gone stays there
  return {};
}

/// Hands what the journal has to LMDB, so that the data file alone is the store. What fails is done by the next
/// opening.
void close_journal(OpenStore& open) noexcept {
  try {
    if (auto const pending = open.environment.pending(); pending && !pending->is_empty()) {
      Transaction txn{open.environment, Transaction::Kind::write};
      int const code = write_head(open.environment, txn, open.committed);
      if (code != MDB_SUCCESS || txn.commit() != MDB_SUCCESS) return;
    }
    open.environment.remove_journal();
  } catch (std::exception const&) {
    return;
  }
}

}  // namespace

Store::Store(std::unique_ptr<OpenStore> open) : open_{std::move(open)} {}
Store::~Store() {
  if (open_->packer) close_journal(*open_);
}

Result<std::unique_ptr<Store>> Store::open(std::filesystem::path const& directory, StoreOptions const& options) {
  std::optional<DirectoryLock> lock;
  if (options.is_read_only) {
    if (!has_data_file(directory)) return Error{Errc::not_found, "there is no store in " + directory.string()};
  } else {
    make_directory(directory);
    Result<DirectoryLock> taken = DirectoryLock::acquire(directory);
    if (!taken) return taken.error();
    lock = std::move(*taken);
    remove_unfinished_copy(directory);
    if (!has_data_file(directory)) create_data_file(directory);
  }
  Result<Environment> environment = open_environment(directory, environment_options(options));
  if (!environment) return environment.error();
  int dead = 0;
  require(mdb_reader_check(environment->get(), &dead),
          "mdb_reader_check");  // frees pages that killed readers still hold
  Result<Head> const head = read_checked_head(*environment);
  if (!head) return head.error();
  auto const id_key = read_id_key(*environment, *head);
  if (!id_key) return id_key.error();
  if (!options.is_read_only && options.is_durable) environment->keep_journal();
  auto open = std::make_unique<OpenStore>(std::move(lock), std::move(*environment), *head, *id_key);
  open->is_shared = options.is_shared;
  return std::unique_ptr<Store>{new Store{std::move(open)}};
}

Staged Store::stage(std::span<VertexRow const> rows, std::span<RevisionRow const> revisions,
                    std::span<schema::stored::Sealed const> contents) const {
  assert(open_->packer && contents.size() == rows.size() + revisions.size());
  Staged staged;
  staged.count = contents.size();
  for (auto const& row : rows) encode_row(row, staged.rows);
  for (auto const& row : revisions) encode_row(row, staged.rows);
  if (open_->is_shared || !open_->packer->packs_ahead(Table::records)) return staged;
  staged.value_ends.reserve(contents.size());
  Bytes value;
  for (auto const& content : contents) {
    open_->packer->pack_ahead(Table::records, schema::stored::bytes_of(content.words), value);
    put_bytes(staged.values, value);
    staged.value_ends.push_back(staged.values.size());
  }
  return staged;
}

void Store::append(Commit commit) {
  Group& group = open_->group;
  Head& head = open_->staged;
  assert(commit.entry.tx == schema::next(head.tx));
  assert(commit.contents.size() == commit.rows.size() + commit.revisions.size());
  if (commit.staged.empty()) commit.staged.push_back(stage(commit.rows, commit.revisions, commit.contents));
  std::size_t const begin = group.blocks.size();
  put_block_head(block_head_of(commit, head.vertices), group.blocks);
  StagedReader staged{commit, group};
  add_records(commit, staged, head, group);
  add_revisions(commit, staged, head, group);
  stage_gone(commit.gone, group);
  group.remove_blobs(commit.removed_blobs);
  pad_to_words(group.blocks, begin);

  commit.entry.previous = head.leaf;
  commit.entry.rows = schema::sha256(std::span{group.blocks}.subspan(begin));
  schema::stored::Words entry = schema::stored::encode(commit.entry);
  head.leaf = schema::stored::leaf_hash(schema::stored::bytes_of(entry));
  head.tx = commit.entry.tx;
  if (!schema::stored::changes_of(commit.entry, ChangeKind::purge).empty()) head.purged_in = head.tx;
  group.transactions.push_back({head.tx, std::move(entry), begin, group.blocks.size()});
  stage_blobs(open_->environment, std::move(commit.blobs), head, group);
  if (commit.kept_answer) keep_answer(commit.entry.idempotency_key, std::move(*commit.kept_answer));
}

void Store::keep_answer(std::string_view key, schema::stored::KeptAnswer answer) {
  schema::Digest const digest = answer_key(key);
  open_->group.answers.push_back({digest, encode_answer(digest, answer)});
  open_->group.answers_by_key.emplace(key, std::move(answer));
  ++open_->staged.kept_answers;
}

Result<void> Store::commit() {
  if (open_->group.transactions.empty() && open_->group.answers.empty()) return {};
  assert(open_->packer);
  Outcome outcome;
  try {
    outcome = write_group(*open_);
  } catch (...) {
    open_->drop_group();
    throw;
  }
  if (outcome.code == MDB_SUCCESS) {
    open_->accept_group();
    return {};
  }
  open_->drop_group();
  if (is_full(outcome.code, open_->environment)) {
    open_->no_room = find_no_room(outcome.code, open_->environment);
    return Error{Errc::storage_full, std::string{"the store has no room: "} + full_message(outcome.code)};
  }
  throw_lmdb(outcome.code, outcome.call);
}

NoRoom Store::why_no_room() const noexcept {
  return open_->no_room;
}

void Store::abandon() {
  open_->drop_group();
}

}  // namespace whence::store
