// The readers' side of the store: replay, records, blobs, log entries, kept answers, figures. Every function opens a
// transaction of its own; all but `replay` and `read_commits` end it before the caller sees anything.

#include "schema/stored/sealed.hpp"
#include "store/lmdb/mapped_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"
#include "store/rows/graph_block.hpp"
#include "store/rows/row_codec.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

constexpr std::size_t contents_per_transaction = 1000;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t words_per_transaction =
    (std::size_t{4} << 20) / word_bytes;  // ends a piece early where records are large

Error corrupt(std::string what) {
  return Error{Errc::corrupt, std::move(what)};
}

Error corrupt_transaction(std::uint64_t tx) {
  return corrupt("transaction " + std::to_string(tx) + " in the graph table does not decode");
}

/// Contents copied out of the map, so that no transaction is open while callers work on them.
struct Piece {
  struct Content {
    schema::RecordType type;
    std::size_t begin;  ///< first word
    std::size_t end;
    bool is_gone = false;
  };
  std::vector<Content> contents;
  schema::stored::Words words;

  [[nodiscard]] std::span<std::byte const> bytes(Content const& content) const {
    return std::as_bytes(std::span{words}.subspan(content.begin, content.end - content.begin));
  }
};

/// The first entry not below the one of `wanted`; the cursor is at that of `before`, if any. Contents are mostly asked
/// for as they lie, so the next entry is looked at before the key is searched.
Result<std::optional<Entry>> find_entry(Cursor& records, schema::ContentId wanted, schema::ContentId const* before) {
  if (before != nullptr && schema::number(wanted.vertex) == schema::number(before->vertex) + 1) {
    auto next = records.next();
    if (!next) return next;
    auto const key = *next ? (*next)->number() : std::nullopt;
    if (key && content_of(*key) == wanted) return next;
  }
  return records.seek(first_record_key(wanted));
}

Result<void> copy_content(Cursor& records, Transaction const& txn, Unpacker const& unpacker, schema::ContentId wanted,
                          schema::ContentId const* before, Bytes& room, Piece& piece) {
  Result<std::optional<Entry>> const found = find_entry(records, wanted, before);
  if (!found) return found.error();
  std::optional<std::uint64_t> const key = *found ? (*found)->number() : std::nullopt;
  unsigned const type = type_number_of(key.value_or(0));
  bool const is_there = key && content_of(*key) == wanted && type > 0 && type < schema::record_type_count;
  if (!is_there) return corrupt("the content of " + name_of(wanted) + " is missing");
  if (is_gone((*found)->value)) {
    auto const at = piece.words.size();
    piece.contents.push_back({static_cast<schema::RecordType>(type), at, at, true});
    return {};
  }
  Result<std::span<std::byte const>> const content = unpacker.unpack(txn, (*found)->value, room);
  if (!content) return content.error();
  if (content->size() % word_bytes != 0) return corrupt("the content of " + name_of(wanted) + " is missing");
  std::size_t const begin = piece.words.size();
  piece.words.resize(begin + content->size() / word_bytes);
  std::ranges::copy(*content, std::as_writable_bytes(std::span{piece.words}.subspan(begin)).begin());
  piece.contents.push_back({static_cast<schema::RecordType>(type), begin, piece.words.size()});
  return {};
}

/// Copies what one transaction may: some of the first of `wanted`, at least one.
Result<void> copy_piece(Environment const& environment, Unpacker const& unpacker,
                        std::span<schema::ContentId const> wanted, Piece& piece) {
  piece.contents.clear();
  piece.words.clear();
  Transaction const txn{environment, Transaction::Kind::read};
  Cursor records{environment, txn, Table::records};
  Bytes room;
  schema::ContentId const* before = nullptr;
  for (schema::ContentId const& content : wanted.first(std::min(wanted.size(), contents_per_transaction))) {
    Result<void> copied = copy_content(records, txn, unpacker, content, before, room, piece);
    if (!copied) return copied;
    before = &content;
    if (piece.words.size() >= words_per_transaction) break;
  }
  return {};
}

/// Turns blocks into replayed commits, with the same storage for all of them.
class Replayer {
 public:
  /// `first` is the first transaction to come.
  explicit Replayer(std::uint64_t first) : first_tx_(first), next_tx_(first) {}
  explicit Replayer(ReplayStart const& start)
      : first_tx_(0),  // what was before is known
        next_tx_(schema::number(start.tx) + 1),
        next_vertex_(start.vertices),
        revisions_seen_(start.revisions) {}

  /// Decodes the next block. It must be the one after the last and decode to its end.
  [[nodiscard]] bool decode(std::uint64_t tx, std::span<std::byte const> block) {
    if (tx != next_tx_ || !reader_.start(block)) return false;
    BlockHead const& head = reader_.head();
    bool const knows_vertices = tx != first_tx_ || tx == 1;
    if (knows_vertices && head.first_vertex != next_vertex_) return false;
    next_vertex_ = head.first_vertex;
    if (!read_rows(head.row_count, rows_, blank_row()) ||
        !read_rows(head.revision_count, revisions_, blank_revision_row())) {
      return false;
    }
    ++next_tx_;
    next_vertex_ += head.row_count;
    revisions_seen_ += head.revision_count;
    return reader_.is_at_end();
  }

  /// The block decoded last. Its spans hold until the next.
  [[nodiscard]] ReplayedCommit commit() const {
    BlockHead const& head = reader_.head();
    return {.tx = TxId{next_tx_ - 1},
            .at = head.at,
            .rows = std::span{rows_}.first(head.row_count),
            .revisions = std::span{revisions_}.first(head.revision_count),
            .hidden = head.hidden,
            .deprecated = head.deprecated,
            .expired = head.expired,
            .purged = head.purged};
  }

  [[nodiscard]] bool has_reached(Head const& head) const {
    return next_tx_ == schema::number(head.tx) + 1 && next_vertex_ == head.vertices &&
           revisions_seen_ == head.revisions;
  }

 private:
  /// Decodes `count` rows into the first of `rows`, which grows where it must.
  template <class Row>
  [[nodiscard]] bool read_rows(std::size_t count, std::vector<Row>& rows, Row const& blank) {
    if (rows.size() < count) rows.resize(count, blank);
    return std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](Row& row) { return reader_.next(row); });
  }

  BlockReader reader_;
  std::vector<VertexRow> rows_;
  std::vector<RevisionRow> revisions_;
  std::uint64_t first_tx_;
  std::uint64_t next_tx_;
  std::uint64_t next_vertex_ = 0;
  std::uint64_t revisions_seen_ = 0;
};

}  // namespace

Result<void> Store::replay(std::function<void(ReplayedCommit const&)> const& visit, ReplayStart const& start) const {
  Environment const& environment = open_->environment;
  Transaction const txn{environment, Transaction::Kind::read};
  Result<Head> const head = read_head(environment, txn);
  if (!head) return head.error();
  Cursor blocks{environment, txn, Table::graph};
  Replayer replayer{start};
  Bytes room;
  for (auto entry = blocks.seek(schema::number(start.tx) + 1);; entry = blocks.next()) {
    if (!entry) return entry.error();
    if (!*entry) break;
    std::uint64_t const tx = (*entry)->number().value_or(0);
    auto const block = open_->unpacker.unpack(txn, (*entry)->value, room);
    if (!block || !replayer.decode(tx, *block)) return corrupt_transaction(tx);
    visit(replayer.commit());
  }
  if (!replayer.has_reached(*head)) return corrupt("the graph table does not end where the head of the store says");
  return {};
}

Result<void> Store::read_commits(TxId first, std::function<bool(ReplayedCommit const&)> const& visit) const {
  Environment const& environment = open_->environment;
  Transaction const txn{environment, Transaction::Kind::read};
  Cursor blocks{environment, txn, Table::graph};
  Replayer replayer{schema::number(first)};
  Bytes room;
  for (auto entry = blocks.seek(schema::number(first));; entry = blocks.next()) {
    if (!entry) return entry.error();
    if (!*entry) return {};
    std::uint64_t const tx = (*entry)->number().value_or(0);
    auto const block = open_->unpacker.unpack(txn, (*entry)->value, room);
    if (!block || !replayer.decode(tx, *block)) return corrupt_transaction(tx);
    if (!visit(replayer.commit())) return {};
  }
}

Result<void> Store::read(std::span<schema::ContentId const> contents,
                         std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const {
  Piece piece;
  std::size_t position = 0;
  while (position < contents.size()) {
    Result<void> copied = copy_piece(open_->environment, open_->unpacker, contents.subspan(position), piece);
    if (!copied) return copied;
    for (Piece::Content const& content : piece.contents) {
      schema::StoredContent stored;
      if (!content.is_gone) {
        Result<schema::Record> record = schema::stored::unseal(content.type, piece.bytes(content));
        if (!record) return record.error();
        stored = std::move(*record);
      }
      if (!visit(position++, std::move(stored))) return {};
    }
  }
  return {};
}

Result<std::optional<schema::stored::Opening>> Store::open_content(schema::ContentId content,
                                                                   schema::RevisionKind kind) const {
  using Found = std::optional<schema::stored::Opening>;
  Piece piece;
  auto const copied = copy_piece(open_->environment, open_->unpacker, {&content, 1}, piece);
  if (!copied) return copied.error();
  auto const& found = piece.contents.front();
  if (found.is_gone) return Found{};
  auto opening = schema::stored::open(found.type, piece.bytes(found), kind);
  if (!opening) return opening.error();
  return Found{std::move(*opening)};
}

Result<std::optional<std::string>> Store::read_blob(schema::Digest const& digest) const {
  using Found = std::optional<std::string>;
  Transaction const txn{open_->environment, Transaction::Kind::read};
  Bytes pieces;
  auto const found = find_blob(open_->environment, txn, digest, pieces);
  if (!found) return found.error();
  if (!*found) return Found{};
  if (is_gone(**found)) return Error{Errc::purged, "the text " + schema::to_hex(digest) + " is gone"};
  Bytes room;
  Result<std::span<std::byte const>> const content = open_->unpacker.unpack(txn, **found, room);
  if (!content) return content.error();
  std::string bytes{reinterpret_cast<char const*>(content->data()), content->size()};
  if (schema::sha256(bytes) != digest) return corrupt("the blob " + schema::to_hex(digest) + " has other bytes");
  return Found{std::move(bytes)};
}

Result<std::optional<schema::stored::KeptAnswer>> Store::find_kept_answer(std::string_view key) const {
  using Found = std::optional<schema::stored::KeptAnswer>;
  auto const staged = open_->group.answers_by_key.find(key);
  if (staged != open_->group.answers_by_key.end()) return Found{staged->second};
  schema::Digest const digest = answer_key(key);
  auto const key_bytes = std::as_bytes(std::span{digest.bytes});
  Transaction const txn{open_->environment, Transaction::Kind::read};
  auto const found = find(open_->environment, txn, Table::keys, key_bytes);
  if (!found) return found.error();
  if (!*found) return Found{};
  Bytes room;
  Result<std::span<std::byte const>> const content = open_->unpacker.unpack(txn, **found, room);
  if (!content) return content.error();
  Result<schema::stored::KeptAnswer> answer = decode_answer(key_bytes, *content);
  if (!answer) return answer.error();
  return Found{std::move(*answer)};
}

Result<schema::stored::LogEntry> Store::log_entry(TxId tx) const {
  Transaction const txn{open_->environment, Transaction::Kind::read};
  auto const found = find(open_->environment, txn, Table::log, schema::number(tx));
  if (!found) return found.error();
  if (*found) return schema::stored::decode_log_entry(**found);
  return Error{Errc::not_found, "there is no transaction " + std::to_string(schema::number(tx))};
}

Result<schema::Author> Store::read_author(TxId tx) const {
  auto entry = log_entry(tx);
  if (!entry) return entry.error();
  return schema::Author{
      .actor = std::move(entry->actor), .who = std::move(entry->who), .reason = std::move(entry->reason)};
}

schema::SecretKey Store::id_key() const {
  return open_->id_key.get();
}

std::string Store::epoch() const {
  return open_->epoch;
}

void Store::forget_touched_pages() const noexcept {
  char const* directory = nullptr;
  if (mdb_env_get_path(open_->environment.get(), &directory) != MDB_SUCCESS) return;
  store::forget_touched_pages(std::filesystem::path(directory) / data_file_name);
}

StoreStats Store::stats() const {
  MDB_envinfo info = {};
  MDB_stat stat = {};
  require(mdb_env_info(open_->environment.get(), &info), "mdb_env_info");
  require(mdb_env_stat(open_->environment.get(), &stat), "mdb_env_stat");
  return {.file_bytes = (std::uint64_t{info.me_last_pgno} + 1) * stat.ms_psize,
          .map_bytes = info.me_mapsize,
          .head = TxId{open_->visible_tx.load()},
          .purged_in = TxId{open_->visible_purge.load()},
          .records = open_->visible_records.load()};
}

}  // namespace whence::store
