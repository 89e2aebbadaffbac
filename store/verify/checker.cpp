// The rules of a whole store: the log is the authority, and the other tables hold exactly what its entries name, in
// order, with nothing left over. Everything is looked up twice, by walking and by key, because damage
// to a branch page can show in one way and not in the other. Contents are found by key while the log is followed, and
// walked at the end: their order by vertex and revision is not that of the log.

#include "store/verify/checker.hpp"

#include "schema/records/links.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/stored/sealed.hpp"
#include "schema/types/belonging.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "store/checkpoint/of_log.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/meta_pages.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "store/packing/packing.hpp"
#include "store/rows/graph_block.hpp"
#include "store/rows/row_codec.hpp"
#include "store/verify/table_walk.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

using schema::RecordType;
using schema::TxId;
using schema::VertexId;
using schema::stored::Change;
using schema::stored::ChangeKind;
using schema::stored::LogEntry;

constexpr int live_attempts = 5;  // a writer may be between its two meta pages while they are read
constexpr unsigned entries_per_tick = 32;

/// One check of one open environment.
class Checker {
 public:
  Checker(Environment const& environment, Transaction const& txn, Head const& head, CheckSink& sink)
      : environment_{environment},
        txn_{txn},
        head_{head},
        sink_{sink},
        unpacker_{environment},
        log_{environment, txn, Table::log},
        graph_{environment, txn, Table::graph},
        records_{environment, txn, Table::records} {}

  VerifyReport run() {
    report_.tx = head_.tx;
    sink_.count(0, looks_);
    for (std::uint64_t tx = 1; tx <= schema::number(head_.tx); ++tx) {
      if (!check_transaction(tx)) break;  // the rest depends on what is broken here
    }
    check_ends();
    if (report_.entries == schema::number(head_.tx)) walk_contents();
    check_answers();
    check_blobs();
    check_dictionaries();
    check_totals();
    return report_;
  }

 private:
  /// What later transactions may refer to.
  struct Vertex {
    std::string id;
    RecordType type;
    bool is_hidden = false;
    std::uint32_t revisions = 0;  ///< the number of its latest
    std::uint32_t gone = 0;       ///< how many of its first contents were removed
  };

  Vertex& vertex(VertexId v) { return vertices_[schema::number(v)]; }

  void add_problem(std::string where, char const* rule, std::string message) {
    sink_.add_problem({.where = std::move(where), .rule = rule, .message = std::move(message)});
  }

  void tick() {
    if (++ticks_ % entries_per_tick == 0 || ticks_ == looks_) sink_.count(std::min(ticks_, looks_), looks_);
  }

  /// How often `tick` is called for a store that holds what its head counts: a log entry and a block for each
  /// transaction, each content by its row and by its key, the kept answers, the blobs and their digests.
  static std::uint64_t looks_of(Head const& head) {
    return 2 * schema::number(head.tx) + 2 * (head.vertices + head.revisions) + head.kept_answers + 2 * head.blobs;
  }

  /// The next entry of a table with number keys, which must be `key`; otherwise reports a problem and returns nothing.
  std::optional<Entry> expect(Walk& walk, std::uint64_t key, std::string const& where) {
    tick();
    std::optional<Entry> const entry = walk.next();
    if (entry && entry->number() == key) return entry;
    if (!walk.fault().empty()) {
      add_problem("page", "page", walk.fault());
    } else {
      add_problem(where, "missing", entry ? "another key is in its place" : "the table ends before it");
    }
    return std::nullopt;
  }

  bool check_transaction(std::uint64_t tx) {
    std::string const where = "log " + std::to_string(tx);
    std::optional<Entry> const logged = expect(log_, tx, where);
    std::optional<Entry> const block = logged ? expect(graph_, tx, "graph " + std::to_string(tx)) : std::nullopt;
    if (!block) return false;
    Result<LogEntry> const entry = schema::stored::decode_log_entry(logged->value);
    if (!entry || entry->tx != TxId{tx}) {
      add_problem(where, "decode", "the entry does not decode");
      return false;
    }
    if (tx != 1 && entry->previous != leaf_)
      add_problem(where, "chain", "the entry does not name the hash of the entry before it");
    if (entry->at < at_) add_problem(where, "chain", "the entry is older than the entry before it");
    leaf_ = schema::stored::leaf_hash(logged->value);
    at_ = entry->at;
    ++report_.entries;
    check_answer(*entry, where);
    return check_block(*entry, block->value, where) && check_contents(*entry) && check_hidden(*entry, where) &&
           check_removed(*entry, where);
  }

  /// Reads the rows of a transaction into `rows_` and `revisions_` and compares the block with its log entry.
  bool check_block(LogEntry const& entry, std::span<std::byte const> block, std::string const& where) {
    std::uint64_t const first = vertices_.size();
    auto const unpacked = unpacker_.unpack(txn_, block, block_);
    if (!unpacked || !reader_.start(*unpacked) || reader_.head().first_vertex != first || !read_rows()) {
      add_problem(where, "row", "the graph block does not decode");
      return false;
    }
    BlockHead const& head = reader_.head();
    if (schema::sha256(*unpacked) != entry.rows)
      add_problem(where, "row", "the graph block does not have the digest that the log names");
    if (head.at != entry.at) add_problem(where, "row", "the graph block has another commit time than the entry");
    bool const have_status =
        std::ranges::all_of(head.deprecated, [&](VertexId v) { return schema::info(vertex(v).type).has_status; });
    if (!are_named(entry, ChangeKind::deprecate, head.deprecated) || !have_status)
      add_problem(where, "status", "entry and graph block deprecate differently");
    if (!are_named(entry, ChangeKind::hide, head.hidden))
      add_problem(where, "status", "entry and graph block delete differently");
    if (!are_named(entry, ChangeKind::expire, head.expired) || !are_named(entry, ChangeKind::purge, head.purged))
      add_problem(where, "status", "entry and graph block remove the contents of different records");
    bool const is_same = are_named(entry, ChangeKind::put, rows_, &VertexRow::vertex) &&
                         are_named(entry, ChangeKind::revise, revisions_, &RevisionRow::vertex);
    if (!is_same) add_problem(where, "row", "entry and graph block add or revise different records");
    return is_same;
  }

  /// Whether the entry's changes of one kind are of exactly these vertices, in this order.
  template <class Things, class Projection = std::identity>
  static bool are_named(LogEntry const& entry, ChangeKind kind, Things const& things, Projection vertex_of = {}) {
    return std::ranges::equal(schema::stored::changes_of(entry, kind), things, {}, &Change::vertex, vertex_of);
  }

  bool read_rows() {
    rows_.resize(reader_.head().row_count, blank_row());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!reader_.next(rows_[i])) return false;
      vertices_.push_back({.id = rows_[i].id, .type = rows_[i].type});
    }
    revisions_.resize(reader_.head().revision_count, blank_revision_row());
    for (std::size_t i = 0; i < revisions_.size(); ++i) {
      if (!reader_.next(revisions_[i])) return false;
    }
    return reader_.is_at_end();
  }

  bool check_contents(LogEntry const& entry) {
    auto const puts = schema::stored::changes_of(entry, ChangeKind::put);
    for (std::size_t i = 0; i < puts.size(); ++i) {
      VertexRow const& row = rows_[i];
      std::string const where = name_of(schema::ContentId{row.vertex});
      auto const content = find_content({row.vertex}, where);
      if (!content) return false;
      if (!is_gone_ && has_digest({row.type}, *content, puts[i], where)) check_record(row, *content, where);
      report_.edges += row.edges.size();
    }
    auto const revises = schema::stored::changes_of(entry, ChangeKind::revise);
    for (std::size_t i = 0; i < revises.size(); ++i) {
      RevisionRow const& row = revisions_[i];
      schema::ContentId const id{row.vertex, row.revision};
      std::string const where = name_of(id);
      auto const content = is_next(row, where) ? find_content(id, where) : std::nullopt;
      if (!content) return false;
      if (!is_gone_ && has_digest({row.type, row.kind}, *content, revises[i], where))
        check_revised(row, *content, where);
      report_.edges += row.edges.size();
    }
    return true;
  }

  /// Whether the revision is its vertex's next.
  bool is_next(RevisionRow const& row, std::string const& where) {
    Vertex& revised = vertex(row.vertex);
    if (row.revision == revised.revisions + 1 && row.type == revised.type && !revised.is_hidden) {
      ++revised.revisions;
      return true;
    }
    add_problem(where, "revision", "the revision is not the next of a record that is there");
    return false;
  }

  /// A view that holds until the next. Sets `is_gone_`; whether it may be gone is seen when the whole log is known.
  std::optional<std::span<std::byte const>> find_content(schema::ContentId id, std::string const& where) {
    tick();
    auto const found = find(environment_, txn_, Table::records, record_key(id, vertex(id.vertex).type));
    if (found && *found) {
      ++report_.records;
      is_gone_ = is_gone(**found);
      if (is_gone_) return std::span<std::byte const>{};
      auto const content = unpacker_.unpack(txn_, **found, content_);
      if (content) return *content;
      add_problem(where, "decode", content.error().message);
      return std::nullopt;
    }
    add_problem(where, "missing", found ? "there is no content under its key" : found.error().message);
    return std::nullopt;
  }

  struct Form {
    RecordType type;
    schema::RevisionKind kind = schema::RevisionKind::whole;
  };

  bool has_digest(Form form, std::span<std::byte const> content, Change const& change, std::string const& where) {
    auto const commitment = schema::stored::commitment_of(form.type, content, form.kind);
    if (commitment && *commitment == change.digest) return true;
    add_problem(where, "digest", "the content does not have the digest that the log names");
    return false;
  }

  /// The record in a content; reports a problem where it does not decode.
  std::optional<schema::Record> decode(RecordType type, std::span<std::byte const> content, std::string const& where) {
    Result<schema::Record> record = schema::stored::unseal(type, content);
    if (record) return std::move(*record);
    add_problem(where, "decode", "the content does not decode");
    return std::nullopt;
  }

  /// Checks that content and row agree.
  void check_record(VertexRow const& row, std::span<std::byte const> content, std::string const& where) {
    std::optional<schema::Record> record = decode(row.type, content, where);
    if (!record) return;
    if (schema::time_of(*record) != row.time) add_problem(where, "row", "row and content differ in time");
    check_named_blob(*record, where);
    if (!check_ends_of(row.edges, where) || !schema::edges_equal_links(row.type)) return;
    std::vector<schema::ContextReference> units;
    for (RowEdge const& edge : row.edges) {
      if (row.type == RecordType::response && edge.type == schema::EdgeType::used_in)
        units.push_back(schema::use_of(vertex(edge.other).type, vertex(edge.other).id, edge.value.value_or(0)));
    }
    schema::complete(*record, row.id, std::move(units));
    std::vector<RowEdge> named = row.edges;
    std::erase_if(named, [](RowEdge const& edge) { return schema::is_added_by_engine(edge.type); });
    auto links = schema::links_of(*record);
    std::erase_if(links, [&](schema::Link const& link) {  // a record of an older program is without
      return schema::is_belonging(link.type) &&
             std::ranges::none_of(named, [&](RowEdge const& edge) { return edge.type == link.type; });
    });
    if (!has_edges_of(named, links)) add_problem(where, "edge", "the edges are not those of the record's references");
  }

  void check_revised(RevisionRow const& row, std::span<std::byte const> content, std::string const& where) {
    std::optional<schema::Record> const record = decode(row.type, content, where);
    if (!record) return;
    check_named_blob(*record, where);
    check_ends_of(row.edges, where);
  }

  bool check_ends_of(std::span<RowEdge const> edges, std::string const& where) {
    bool const are_there =
        std::ranges::all_of(edges, [&](RowEdge const& edge) { return schema::number(edge.other) < vertices_.size(); });
    if (!are_there) add_problem(where, "edge", "an edge names a vertex that does not exist");
    return are_there;
  }

  /// Whether the blob that an attachment names is there; its bytes are looked at later.
  void check_named_blob(schema::Record const& record, std::string const& where) {
    auto const* const attachment = std::get_if<schema::XmlMessageAttachment>(&record);
    if (attachment == nullptr || !attachment->xml_blob) return;
    std::optional<schema::Digest> const digest = schema::blob_digest(*attachment->xml_blob);
    auto const found = digest ? find_blob_state(environment_, txn_, *digest) : Result<BlobState>{BlobState::missing};
    if (!found || *found != BlobState::kept)
      add_problem(where, "blob", "the blob that the attachment names is not there");
  }

  bool check_hidden(LogEntry const& entry, std::string const& where) {
    for (Change const& change : schema::stored::changes_of(entry, ChangeKind::hide)) {
      bool const is_there = schema::number(change.vertex) < vertices_.size() && !vertex(change.vertex).is_hidden;
      if (!is_there) {
        add_problem(where, "status", "the entry deletes a record that is not there");
        return false;
      }
      vertex(change.vertex).is_hidden = true;
    }
    return true;
  }

  /// Notes which contents the entry removes: those that earlier transactions gave its records.
  bool check_removed(LogEntry const& entry, std::string const& where) {
    for (auto const kind : {ChangeKind::expire, ChangeKind::purge}) {
      for (Change const& change : schema::stored::changes_of(entry, kind)) {
        auto const added = std::ranges::count(revisions_, change.vertex, &RevisionRow::vertex);
        bool const is_there = schema::number(change.vertex) < vertices_.size() - rows_.size();
        if (!is_there) {
          add_problem(where, "status", "the entry removes the contents of a record that was not there before");
          return false;
        }
        vertex(change.vertex).gone = vertex(change.vertex).revisions + 1 - static_cast<std::uint32_t>(added);
      }
    }
    return true;
  }

  bool has_edges_of(std::vector<RowEdge> const& edges, std::vector<schema::Link> const& links) const {
    return std::ranges::equal(edges, links, [&](RowEdge const& edge, schema::Link const& link) {
      Vertex const& other = vertices_[schema::number(edge.other)];
      return edge.type == link.type && edge.owner_is_from == link.owner_is_from && edge.value == link.value &&
             other.type == link.other_type && other.id == link.other_id();
    });
  }

  void check_answer(LogEntry const& entry, std::string const& where) {
    if (entry.idempotency_key.empty()) return;
    schema::Digest const digest = answer_key(entry.idempotency_key);
    auto const key = std::as_bytes(std::span{digest.bytes});
    auto const found = find(environment_, txn_, Table::keys, key);
    if (!found || !*found) {
      add_problem(where, "missing", "the answer kept under the entry's idempotency key is not there");
      return;
    }
    Result<schema::stored::KeptAnswer> const answer = decode_packed_answer(key, **found);
    if (!answer || answer->tx != entry.tx)
      add_problem(where, "digest", "the answer kept under the entry's idempotency key is damaged");
    ++answers_;
  }

  Result<schema::stored::KeptAnswer> decode_packed_answer(std::span<std::byte const> key,
                                                          std::span<std::byte const> value) {
    auto const content = unpacker_.unpack(txn_, value, content_);
    if (!content) return content.error();
    return decode_answer(key, *content);
  }

  void check_ends() {
    for (Walk* walk : {&log_, &graph_}) check_end(*walk);
  }

  void check_end(Walk& walk) {
    if (report_.entries == schema::number(head_.tx) && walk.next())
      add_problem("store", "extra", "a table holds more than the log names");
    if (!walk.fault().empty()) add_problem("page", "page", walk.fault());
  }

  /// Every content once more in the order of keys, without a gap and with nothing between or behind them.
  void walk_contents() {
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      VertexId const id{static_cast<std::uint32_t>(i)};
      for (std::uint32_t revision = 0; revision <= vertices_[i].revisions; ++revision) {
        schema::ContentId const content{id, revision};
        auto const entry = expect(records_, record_key(content, vertices_[i].type), name_of(content));
        if (!entry) return;
        if (is_gone(entry->value) == (revision < vertices_[i].gone)) continue;
        add_problem(name_of(content), "missing",
                    is_gone(entry->value) ? "the content is gone, and nothing expired or purged it"
                                          : "the content is there although it expired or was purged");
      }
    }
    check_end(records_);
  }

  /// Every kept answer by its own checksum; those of batches that changed nothing are named by no entry.
  void check_answers() {
    Walk answers{environment_, txn_, Table::keys};
    while (answers.count() <= head_.kept_answers) {  // bounded: damage may lead in circles
      std::optional<Entry> const entry = answers.next();
      if (!entry) break;
      tick();
      if (!decode_packed_answer(entry->key, entry->value)) add_problem("keys", "digest", "a kept answer is damaged");
    }
    if (!answers.fault().empty()) add_problem("page", "page", answers.fault());
    bool const is_counted = answers.count() == head_.kept_answers && answers_ <= answers.count();
    if (!is_counted || !answers.has_honest_count())
      add_problem("store", "extra", "the number of kept answers is not that of the head");
  }

  /// Every blob by the digest of its bytes, those that no attachment names any more too.
  void check_blobs() {
    Walk pieces{environment_, txn_, Table::blobs};
    std::uint64_t next = 0;  // the number of the next blob
    std::uint64_t last_key = 0;
    bool is_piece = false;         // the last value, so that one more may follow
    while (next <= head_.blobs) {  // bounded: damage may lead in circles, but no key twice in order
      std::optional<Entry> const entry = pieces.next();
      if (!entry) break;
      bool const is_first = entry->number() == blob_key(next);
      bool const is_further = is_piece && last_key + 1 < blob_key(next) && entry->number() == last_key + 1;
      if (!is_first && !is_further) {
        add_problem("blob " + std::to_string(next), "missing", "a blob or a piece of one is not in its place");
        break;
      }
      last_key = *entry->number();
      is_piece = entry->value.size() == blob_piece_bytes;
      if (is_first) check_blob(next++);
    }
    report_.blobs = next;
    if (!pieces.fault().empty()) add_problem("page", "page", pieces.fault());
    if (next != head_.blobs || !pieces.has_honest_count())
      add_problem("store", "extra", "the number of blobs is not that of the head");
    check_blob_numbers(next);
  }

  void check_blob(std::uint64_t number) {
    tick();
    sink_.tick();  // it may be large
    auto const value = find_blob_at(environment_, txn_, number, pieces_);
    if (value && *value && is_gone(**value)) return;  // nothing that is there names it: contents were looked at before
    auto const content = value && *value ? unpacker_.unpack(txn_, **value, content_)
                                         : Result<std::span<std::byte const>>{std::span<std::byte const>{}};
    schema::Digest const digest = content ? schema::sha256(*content) : schema::Digest{};
    auto const named = find(environment_, txn_, Table::blob_numbers, std::as_bytes(std::span{digest.bytes}));
    bool const is_whole = content && !content->empty() && named && *named &&
                          std::ranges::equal(**named, std::as_bytes(std::span{&number, 1}));
    if (!is_whole)
      add_problem("blob " + schema::to_hex(digest), "digest", "a blob does not have the digest it is kept under");
  }

  /// Every digest of a blob names one of the `count` blobs, and no two the same.
  void check_blob_numbers(std::uint64_t count) {
    Walk numbers{environment_, txn_, Table::blob_numbers};
    std::vector<bool> is_named(count);
    while (numbers.count() <= count) {  // bounded: as above
      std::optional<Entry> const entry = numbers.next();
      if (!entry) break;
      tick();
      std::uint64_t number = 0;
      ByteReader in{entry->value};
      bool const is_own = entry->key.size() == schema::Digest{}.bytes.size() && in.fixed(number) && in.rest().empty() &&
                          number < count && !is_named[number];
      if (is_own) {
        is_named[number] = true;
      } else {
        add_problem("blob_numbers", "digest", "a digest does not name a blob of its own");
      }
    }
    if (!numbers.fault().empty()) add_problem("page", "page", numbers.fault());
    if (numbers.count() != count || !numbers.has_honest_count())
      add_problem("store", "extra", "the number of digests of blobs is not that of the blobs");
  }

  /// Every dictionary by its own digest, also one that no value names; `meta` holds nothing else beside the head.
  void check_dictionaries() {
    Walk meta{environment_, txn_, Table::meta};
    for (std::uint64_t number = head_key; number <= dictionaries_max; ++number) {  // bounded: as above
      std::optional<Entry> const entry = meta.next();
      if (!entry) break;
      sink_.tick();
      if (entry->number() == number && (number == head_key || decode_dictionary(number, entry->value))) continue;
      add_problem("dictionary " + std::to_string(number), "digest", "a dictionary is missing or damaged");
      break;
    }
    if (!meta.fault().empty()) add_problem("page", "page", meta.fault());
    if (meta.count() == 0 || !meta.has_honest_count())
      add_problem("store", "extra", "the meta table does not hold what the store has written there");
  }

  void check_totals() {
    bool const ends_there = head_.tx == TxId{0} || leaf_ == head_.leaf;
    if (!ends_there || report_.entries != schema::number(head_.tx)) {
      add_problem("store", "chain", "the log does not end where the head does");
    }
    bool const is_counted = vertices_.size() == head_.vertices && report_.edges == head_.edges &&
                            report_.records == head_.vertices + head_.revisions;
    bool const is_honest = log_.has_honest_count() && graph_.has_honest_count() && records_.has_honest_count();
    if (!is_counted || !is_honest)
      add_problem("store", "missing", "the store does not hold as much as its head counts");
  }

  Environment const& environment_;
  Transaction const& txn_;
  Head const& head_;
  CheckSink& sink_;
  Unpacker unpacker_;
  Walk log_;
  Walk graph_;
  Walk records_;
  VerifyReport report_;

  schema::Digest leaf_;  ///< of the entry checked last
  schema::Time at_{.seconds = INT64_MIN};
  std::uint64_t answers_ = 0;
  bool is_gone_ = false;          ///< the content found last
  std::vector<Vertex> vertices_;  ///< every one so far, by number
  BlockReader reader_;
  std::vector<VertexRow> rows_;  ///< of the current transaction
  std::vector<RevisionRow> revisions_;
  Bytes pieces_;   ///< of a blob
  Bytes block_;    ///< of the current transaction, unpacked
  Bytes content_;  ///< the one looked at, unpacked
  std::uint64_t ticks_ = 0;
  std::uint64_t looks_ = looks_of(head_);
};

Result<Environment> open_for_check(std::filesystem::path const& directory, bool is_live) {
  Environment::Options const options{.map_bytes = StoreOptions{}.map_bytes,
                                     .flags = MDB_RDONLY | (is_live ? 0U : unsigned{MDB_NOLOCK})};
  Result<Environment> environment = open_environment(directory, options);
  for (int attempt = 1; is_live && !environment && attempt < live_attempts; ++attempt) {
    environment = open_environment(directory, options);
  }
  return environment;
}

/// A checkpoint that a start would use. Which program version it is for is not looked at: a start of another one
/// makes a new one.
void check_checkpoint(std::filesystem::path const& directory, CheckpointOf what, Environment const& environment,
                      Transaction const& txn, Head const& head, bool is_live, CheckSink& sink) {
  auto const fail = [&](Error const& error) {
    sink.add_problem({.where = "checkpoint", .rule = "checkpoint", .message = error.message});
  };
  auto const mapped = MappedCheckpoint::open(directory, what);
  if (!mapped && mapped.error().code == Errc::not_found) return;
  if (!mapped) return fail(mapped.error());
  // Beside a writer it may have been made after the state that is checked.
  bool const is_newer = is_live && mapped->head().seen > head.tx;
  if (!is_newer) {
    if (auto const of_log = check_is_of_log(mapped->head(), environment, txn, head); !of_log) fail(of_log.error());
  }
  if (auto const whole = mapped->check([&] { sink.tick(); }); !whole) fail(whole.error());
}

}  // namespace

VerifyReport check_store(std::filesystem::path const& directory, bool is_live, CheckSink& sink) {
  auto const fail = [&](Error const& error) {
    sink.add_problem({.where = "store", .rule = "open", .message = error.message});
    return VerifyReport{};
  };
  Result<Environment> const environment = open_for_check(directory, is_live);
  if (!environment) return fail(environment.error());
  Transaction const txn{*environment, Transaction::Kind::read};
  Result<Head> const head = read_head(*environment, txn);
  if (!head) return fail(head.error());
  auto report = Checker{*environment, txn, *head, sink}.run();
  for (auto const what : {CheckpointOf::graph, CheckpointOf::columns}) {
    check_checkpoint(directory, what, *environment, txn, *head, is_live, sink);
  }
  return report;
}

}  // namespace whence::store
