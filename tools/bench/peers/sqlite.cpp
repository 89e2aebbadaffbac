// Both schemas are written from the same steps. Reach is asked by a recursive query and by a search over single
// look-ups.

#include "tools/bench/peers/sqlite.hpp"

#include <map>
#include <stdexcept>
#include <unordered_set>

#include <sqlite3.h>

namespace whence::bench {
namespace {

constexpr char const* tuned_tables = R"(
  PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144; PRAGMA mmap_size=1073741824;
  CREATE TABLE IF NOT EXISTS nodes(key INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, agent TEXT, model TEXT, tokens INTEGER,
                     source TEXT, version INTEGER, content TEXT);
  CREATE TABLE IF NOT EXISTS effects(cause INTEGER, effect INTEGER, type INTEGER, weight REAL, PRIMARY KEY(cause, effect)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS causes(effect INTEGER, cause INTEGER, PRIMARY KEY(effect, cause)) WITHOUT ROWID;
)";

constexpr char const* source_tables = R"(
  PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144; PRAGMA foreign_keys=ON;
  CREATE TABLE IF NOT EXISTS responses(id TEXT PRIMARY KEY, timestamp INTEGER NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL,
                         token_count INTEGER, manifest_json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS idx_responses_timestamp ON responses(timestamp);
  CREATE TABLE IF NOT EXISTS context_units(id TEXT PRIMARY KEY, type TEXT NOT NULL, source TEXT NOT NULL, timestamp INTEGER NOT NULL,
                             summary TEXT, embedding_id TEXT, version INTEGER NOT NULL DEFAULT 1, previous_version_id TEXT,
                             aggregate_score REAL DEFAULT 0.0, feedback_count INTEGER DEFAULT 0,
                             FOREIGN KEY(previous_version_id) REFERENCES context_units(id));
  CREATE INDEX IF NOT EXISTS idx_context_type ON context_units(type);
  CREATE INDEX IF NOT EXISTS idx_context_version ON context_units(previous_version_id);
  CREATE TABLE IF NOT EXISTS lineage(response_id TEXT NOT NULL, context_unit_id TEXT NOT NULL, weight REAL NOT NULL,
                       PRIMARY KEY(response_id, context_unit_id),
                       FOREIGN KEY(response_id) REFERENCES responses(id) ON DELETE CASCADE,
                       FOREIGN KEY(context_unit_id) REFERENCES context_units(id));
  CREATE INDEX IF NOT EXISTS idx_lineage_response ON lineage(response_id);
  CREATE INDEX IF NOT EXISTS idx_lineage_context ON lineage(context_unit_id);
)";

constexpr std::int64_t start_seconds = 1'700'000'000;

/// A prepared statement, bound by position.
class Statement {
 public:
  Statement(sqlite3* db, char const* sql) {
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db));
    }
  }
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(Statement const&) = delete;
  Statement& operator=(Statement const&) = delete;

  Statement& bind(int at, std::int64_t value) { return sqlite3_bind_int64(handle_, at, value), *this; }
  Statement& bind(int at, double value) { return sqlite3_bind_double(handle_, at, value), *this; }
  Statement& bind(int at, std::string const& text) {
    sqlite3_bind_text(handle_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind_null(int at) { return sqlite3_bind_null(handle_, at), *this; }

  [[nodiscard]] bool step() { return sqlite3_step(handle_) == SQLITE_ROW; }
  [[nodiscard]] std::int64_t integer(int column) { return sqlite3_column_int64(handle_, column); }
  void reset() { sqlite3_reset(handle_); }
  void run() {
    if (int const code = sqlite3_step(handle_); code != SQLITE_DONE) throw std::runtime_error(sqlite3_errstr(code));
    reset();
  }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

std::string manifest_text(Step const& step) {
  std::string text = R"({"response_id":")" + response_id(step.number) + R"(","context_tree":[)";
  for (Use const& use : step.uses) {
    text += R"({"id":")" + unit_id(use.unit) + R"(","type":"User","source":"memory:project/bench","weight":)" +
            std::to_string(use.weight) + R"(,"embedding_id":null,"summary":null},)";
  }
  return text + "]}";
}

}  // namespace

struct SqlitePeer::Impl {
  sqlite3* db = nullptr;
  Schema schema;
  // The statements of `write`; which are used depends on the schema.
  std::unique_ptr<Statement> node, effect, cause, response, unit, lineage;
  std::map<std::string, std::unique_ptr<Statement>> reads;

  void run(char const* sql) const {
    char* message = nullptr;
    if (sqlite3_exec(db, sql, nullptr, nullptr, &message) != SQLITE_OK) throw std::runtime_error(message);
  }

  [[nodiscard]] std::unique_ptr<Statement> prepare(char const* sql) const {
    return std::make_unique<Statement>(db, sql);
  }

  /// Each read is prepared once.
  [[nodiscard]] Statement& prepared(std::string const& sql) {
    auto& statement = reads[sql];
    if (!statement) statement = prepare(sql.c_str());
    return *statement;
  }

  void edge(std::int64_t from, std::int64_t to, std::int64_t type, double weight) const {
    effect->bind(1, from).bind(2, to).bind(3, type).bind(4, weight).run();
    cause->bind(1, to).bind(2, from).run();
  }

  void write_tuned(Step const& step) const {
    std::int64_t const at = start_seconds + step.number;
    for (NewUnit const& made : step.units) {
      node->bind(1, unit_key(made.number)).bind(2, unit_id(made.number)).bind(3, at);
      node->bind_null(4).bind_null(5).bind_null(6).bind(7, std::string{"memory:project/bench"});
      node->bind(8, std::int64_t{made.version}).bind_null(9).run();
      if (made.previous) edge(unit_key(*made.previous), unit_key(made.number), 2, 1);
      if (made.made_by) edge(response_key(*made.made_by), unit_key(made.number), 3, 1);
    }
    node->bind(1, response_key(step.number)).bind(2, response_id(step.number)).bind(3, at);
    node->bind(4, std::string{"bench:agent"}).bind(5, std::string{"bench-model-1"}).bind(6, std::int64_t{1000});
    node->bind_null(7).bind_null(8);
    step.content.empty() ? node->bind_null(9) : node->bind(9, step.content);
    node->run();
    for (Use const& use : step.uses) edge(unit_key(use.unit), response_key(step.number), 1, use.weight);
  }

  void write_source(Step const& step) const {
    std::int64_t const at = start_seconds + step.number;
    for (NewUnit const& made : step.units) {
      unit->bind(1, unit_id(made.number)).bind(2, at).bind(3, std::int64_t{made.version});
      made.previous ? unit->bind(4, unit_id(*made.previous)) : unit->bind_null(4);
      unit->run();
    }
    response->bind(1, response_id(step.number)).bind(2, at).bind(3, manifest_text(step)).run();
    for (Use const& use : step.uses) {
      lineage->bind(1, response_id(step.number)).bind(2, unit_id(use.unit)).bind(3, use.weight).run();
    }
  }
};

SqlitePeer::SqlitePeer(std::string const& path, Schema schema) : impl_(std::make_unique<Impl>()) {
  impl_->schema = schema;
  if (sqlite3_open(path.c_str(), &impl_->db) != SQLITE_OK) throw std::runtime_error("sqlite3_open " + path);
  impl_->run(schema == Schema::tuned ? tuned_tables : source_tables);
  if (schema == Schema::tuned) {
    impl_->node = impl_->prepare("INSERT INTO nodes VALUES(?,?,?,?,?,?,?,?,?)");
    impl_->effect = impl_->prepare("INSERT INTO effects VALUES(?,?,?,?)");
    impl_->cause = impl_->prepare("INSERT INTO causes VALUES(?,?)");
  } else {
    impl_->unit = impl_->prepare(
        "INSERT INTO context_units(id,type,source,timestamp,version,previous_version_id) "
        "VALUES(?1,'User','memory:project/bench',?2,?3,?4)");
    impl_->response = impl_->prepare("INSERT INTO responses VALUES(?1,?2,'bench:agent','bench-model-1',1000,?3)");
    impl_->lineage = impl_->prepare("INSERT INTO lineage VALUES(?1,?2,?3)");
  }
}

SqlitePeer::~SqlitePeer() {
  // Statements must be finalized before their connection.
  for (auto* statement :
       {&impl_->node, &impl_->effect, &impl_->cause, &impl_->response, &impl_->unit, &impl_->lineage}) {
    statement->reset();
  }
  impl_->reads.clear();
  sqlite3_close(impl_->db);
}

void SqlitePeer::write(std::vector<Step> const& steps, std::size_t begin, std::size_t end) {
  impl_->run("BEGIN IMMEDIATE");
  for (std::size_t i = begin; i < end; ++i) {
    impl_->schema == Schema::tuned ? impl_->write_tuned(steps[i]) : impl_->write_source(steps[i]);
  }
  impl_->run("COMMIT");
}

std::size_t SqlitePeer::reach_by_cte(std::int64_t start, Direction direction, std::uint32_t depth) {
  // Without a bound on depth the plain form (UNION drops repeated rows) is the fastest in SQLite.
  std::string const neighbours = direction == Direction::ancestors
                                     ? "SELECT cause FROM causes, r WHERE effect = r.key"
                                     : "SELECT effect FROM effects, r WHERE cause = r.key";
  std::string const bounded = direction == Direction::ancestors
                                  ? "SELECT cause, d + 1 FROM causes, r WHERE effect = r.key AND d < ?2"
                                  : "SELECT effect, d + 1 FROM effects, r WHERE cause = r.key AND d < ?2";
  bool const is_bounded = depth != UINT32_MAX;
  std::string const sql =
      is_bounded ? "WITH RECURSIVE r(key, d) AS (SELECT ?1, 0 UNION " + bounded + ") SELECT DISTINCT key FROM r"
                 : "WITH RECURSIVE r(key) AS (SELECT ?1 UNION " + neighbours + ") SELECT key FROM r";
  Statement& statement = impl_->prepared(sql);
  statement.bind(1, start);
  if (is_bounded) statement.bind(2, std::int64_t{depth});
  std::size_t count = 0;
  while (statement.step()) ++count;
  statement.reset();
  return count - 1;
}

std::size_t SqlitePeer::reach_by_search(std::int64_t start, Direction direction, std::uint32_t depth) {
  Statement& statement =
      impl_->prepared(direction == Direction::ancestors ? "SELECT cause FROM causes WHERE effect = ?1"
                                                        : "SELECT effect FROM effects WHERE cause = ?1");
  std::unordered_set<std::int64_t> seen{start};
  std::vector<std::int64_t> layer{start};
  for (std::uint32_t hop = 0; hop < depth && !layer.empty(); ++hop) {
    std::vector<std::int64_t> next;
    for (std::int64_t const key : layer) {
      statement.bind(1, key);
      while (statement.step()) {
        if (seen.insert(statement.integer(0)).second) next.push_back(statement.integer(0));
      }
      statement.reset();
    }
    layer = std::move(next);
  }
  return seen.size() - 1;
}

}  // namespace whence::bench
