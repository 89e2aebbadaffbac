// What makes a store whole: the log is the authority, and each of its entries must find in the other tables exactly
// what it names, in order, with nothing left over. Everything is looked up twice, by walking and by key, because damage
// to a branch page can show in one way and not in the other.

#include "store/impl/checker.hpp"

#include "schema/links.hpp"
#include "schema/record_reader.hpp"
#include "store/impl/data_file.hpp"
#include "store/impl/graph_block.hpp"
#include "store/impl/meta_pages.hpp"
#include "store/impl/tables.hpp"
#include "store/store.hpp"

#include <algorithm>
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

/// A table walked from its start, each entry also looked up by its key.
class Walk {
 public:
  Walk(Environment const& environment, Transaction const& txn, Table table)
      : environment_{environment}, txn_{txn}, table_{table}, cursor_{environment, txn, table} {}

  /// The next entry; nothing at the end and after damage, which `fault` then describes.
  std::optional<Entry> next() {
    Result<std::optional<Entry>> entry = cursor_.next();
    if (!entry) return fail(entry.error().message);
    if (!*entry) return std::nullopt;
    ++count_;
    auto const found = find(environment_, txn_, table_, (*entry)->key);
    bool const is_same = found && *found && (*found)->data() == (*entry)->value.data();
    return is_same ? *entry : fail(std::string{name_of(table_)} + ": an entry is not found under its own key");
  }

  [[nodiscard]] std::string const& fault() const noexcept { return fault_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Whether LMDB's own count agrees with what was walked.
  [[nodiscard]] bool has_honest_count() const {
    MDB_stat stat = {};
    return mdb_stat(txn_.get(), environment_.dbi(table_), &stat) == MDB_SUCCESS && stat.ms_entries == count_;
  }

 private:
  std::optional<Entry> fail(std::string fault) {
    fault_ = std::move(fault);
    return std::nullopt;
  }

  Environment const& environment_;
  Transaction const& txn_;
  Table table_;
  Cursor cursor_;
  std::uint64_t count_ = 0;
  std::string fault_;
};

/// One check of one open environment.
class Checker {
 public:
  Checker(Environment const& environment, Transaction const& txn, Head const& head, CheckSink& sink)
      : environment_{environment},
        txn_{txn},
        head_{head},
        sink_{sink},
        log_{environment, txn, Table::log},
        graph_{environment, txn, Table::graph},
        records_{environment, txn, Table::records} {}

  VerifyReport run() {
    report_.tx = head_.tx;
    for (std::uint64_t tx = 1; tx <= schema::number(head_.tx); ++tx) {
      if (!check_transaction(tx)) break;  // what follows hangs on what is broken here
    }
    check_ends();
    check_answers();
    check_totals();
    return report_;
  }

 private:
  void say(std::string where, char const* rule, std::string message) {
    sink_.add_problem({.where = std::move(where), .rule = rule, .message = std::move(message)});
  }

  void tick() {
    if (++ticks_ % entries_per_tick == 0) sink_.tick();
  }

  /// The next entry of a table with number keys, which must be `key`; says so and answers nothing where it is not.
  std::optional<Entry> expect(Walk& walk, std::uint64_t key, std::string const& where) {
    tick();
    std::optional<Entry> const entry = walk.next();
    if (entry && entry->number() == key) return entry;
    if (!walk.fault().empty()) {
      say("page", "page", walk.fault());
    } else {
      say(where, "missing", entry ? "another key stands in its place" : "the table ends before it");
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
      say(where, "decode", "the entry does not decode");
      return false;
    }
    if (entry->previous != leaf_) say(where, "chain", "the entry does not name the hash of the entry before it");
    if (entry->at < at_) say(where, "chain", "the entry is older than the entry before it");
    leaf_ = schema::stored::leaf_hash(logged->value);
    at_ = entry->at;
    ++report_.entries;
    check_answer(*entry, where);
    return check_block(*entry, block->value, where) && check_records(*entry);
  }

  /// Takes the rows of a transaction into `rows_` and holds the block against its log entry.
  bool check_block(LogEntry const& entry, std::span<std::byte const> block, std::string const& where) {
    std::uint64_t const first = ids_.size();
    if (!reader_.start(block) || reader_.head().first_vertex != first || !read_rows()) {
      say(where, "row", "the graph block does not decode");
      return false;
    }
    std::vector<VertexId> deprecated;
    std::uint64_t next = first;
    for (Change const& change : entry.changes) {
      if (change.kind == ChangeKind::deprecate) {
        deprecated.push_back(change.vertex);
      } else if (schema::number(change.vertex) != next++) {
        say(where, "row", "the entry's records are not numbered in order");
        return false;
      }
    }
    bool const is_unit = std::ranges::all_of(deprecated, [&](VertexId v) {
      return schema::number(v) < types_.size() && types_[schema::number(v)] == RecordType::context_unit;
    });
    if (reader_.head().at != entry.at) say(where, "row", "the graph block has another commit time than the entry");
    if (deprecated != reader_.head().deprecated || !is_unit)
      say(where, "status", "entry and graph block deprecate differently");
    if (next == ids_.size()) return true;
    say(where, "row", "the graph block has another number of rows than the entry has records");
    return false;
  }

  bool read_rows() {
    rows_.resize(reader_.head().row_count, VertexRow{.vertex = VertexId{0}, .type = RecordType::topic, .id = {}});
    row_bytes_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!reader_.next(rows_[i], row_bytes_[i])) return false;
      ids_.push_back(rows_[i].id);
      types_.push_back(rows_[i].type);
    }
    return reader_.is_at_end();
  }

  bool check_records(LogEntry const& entry) {
    std::size_t next = 0;
    for (Change const& change : entry.changes) {
      if (change.kind != ChangeKind::put) continue;
      VertexRow const& row = rows_[next];
      std::string const where = "record " + std::to_string(schema::number(change.vertex));
      std::optional<Entry> const content = expect(records_, record_key(row.vertex, row.type), where);
      if (!content) return false;
      if (schema::sha256({row_bytes_[next], content->value}) != change.digest) {
        say(where, "digest", "row and content do not have the digest that the log names");
      } else {
        check_record(row, content->value, where);
      }
      ++report_.records;
      report_.edges += row.edges.size();
      ++next;
    }
    return true;
  }

  /// Whether content and row tell the same story.
  void check_record(VertexRow const& row, std::span<std::byte const> content, std::string const& where) {
    Result<schema::Record> record = schema::stored::decode(row.type, content);
    if (!record) {
      say(where, "decode", "the content does not decode");
      return;
    }
    if (schema::time_of(*record) != row.time) say(where, "row", "row and content differ in time");
    std::vector<schema::ContextReference> units;
    for (RowEdge const& edge : row.edges) {
      if (schema::number(edge.other) >= ids_.size()) {
        say(where, "edge", "an edge names a vertex that does not exist");
        return;
      }
      if (edge.type == schema::EdgeType::used_in)
        units.push_back({ids_[schema::number(edge.other)], edge.value.value_or(0)});
    }
    schema::complete(*record, row.id, std::move(units));
    if (!has_edges_of(row, schema::links_of(*record)))
      say(where, "edge", "the edges are not those of the record's references");
  }

  bool has_edges_of(VertexRow const& row, std::vector<schema::Link> const& links) const {
    return std::ranges::equal(row.edges, links, [&](RowEdge const& edge, schema::Link const& link) {
      std::uint32_t const other = schema::number(edge.other);
      return edge.type == link.type && edge.owner_is_from == link.owner_is_from && edge.value == link.value &&
             types_[other] == link.other_type && ids_[other] == link.other_id;
    });
  }

  void check_answer(LogEntry const& entry, std::string const& where) {
    if (entry.idempotency_key.empty()) return;
    schema::Digest const digest = answer_key(entry.idempotency_key);
    auto const key = std::as_bytes(std::span{digest.bytes});
    auto const found = find(environment_, txn_, Table::keys, key);
    if (!found || !*found) {
      say(where, "missing", "the answer kept under the entry's idempotency key is not there");
      return;
    }
    Result<schema::stored::KeptAnswer> const answer = decode_answer(key, **found);
    if (!answer || answer->tx != entry.tx)
      say(where, "digest", "the answer kept under the entry's idempotency key is damaged");
    ++answers_;
  }

  void check_ends() {
    for (Walk* walk : {&log_, &graph_, &records_}) {
      if (report_.entries == schema::number(head_.tx) && walk->next())
        say("store", "extra", "a table holds more than the log names");
      if (!walk->fault().empty()) say("page", "page", walk->fault());
    }
  }

  /// Every kept answer by its own checksum; those of batches that changed nothing are named by no entry.
  void check_answers() {
    Walk answers{environment_, txn_, Table::keys};
    while (answers.count() <= head_.kept_answers) {  // bounded: damage may lead in circles
      std::optional<Entry> const entry = answers.next();
      if (!entry) break;
      tick();
      if (!decode_answer(entry->key, entry->value)) say("keys", "digest", "a kept answer is damaged");
    }
    if (!answers.fault().empty()) say("page", "page", answers.fault());
    bool const is_counted = answers.count() == head_.kept_answers && answers_ <= answers.count();
    if (!is_counted || !answers.has_honest_count())
      say("store", "extra", "there are not as many kept answers as the head says");
  }

  void check_totals() {
    if (leaf_ != head_.leaf || report_.entries != schema::number(head_.tx)) {
      say("store", "chain", "the log does not end where the head says");
    }
    bool const is_counted = report_.records == head_.vertices && report_.edges == head_.edges;
    bool const is_honest = log_.has_honest_count() && graph_.has_honest_count() && records_.has_honest_count();
    if (!is_counted || !is_honest) say("store", "missing", "the store does not hold as much as its head says");
  }

  Environment const& environment_;
  Transaction const& txn_;
  Head const& head_;
  CheckSink& sink_;
  Walk log_;
  Walk graph_;
  Walk records_;
  VerifyReport report_;

  schema::Digest leaf_;  ///< of the entry checked last
  schema::Time at_{.seconds = INT64_MIN};
  std::uint64_t answers_ = 0;
  std::vector<std::string> ids_;   ///< of every vertex so far
  std::vector<RecordType> types_;  ///< parallel to `ids_`
  BlockReader reader_;
  std::vector<VertexRow> rows_;  ///< of the transaction in hand
  std::vector<std::span<std::byte const>> row_bytes_;
  std::uint64_t ticks_ = 0;
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
  return Checker{*environment, txn, *head, sink}.run();
}

}  // namespace whence::store
