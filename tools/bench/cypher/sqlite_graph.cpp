// Only reading is measured, so the tables are filled without a journal and without waiting for the disk. Each statement
// is prepared once.

#include "tools/bench/cypher/sqlite_graph.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <sqlite3.h>

namespace whence::bench {
namespace {

constexpr char const* tables = R"(
  PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-1048576; PRAGMA mmap_size=8589934592;
  PRAGMA temp_store=MEMORY; PRAGMA threads=2;
  CREATE TABLE nodes(key INTEGER PRIMARY KEY, id TEXT NOT NULL, agent TEXT, at INTEGER NOT NULL);
  CREATE TABLE effects(cause INTEGER, effect INTEGER, PRIMARY KEY(cause, effect)) WITHOUT ROWID;
  CREATE TABLE causes(effect INTEGER, cause INTEGER, PRIMARY KEY(effect, cause)) WITHOUT ROWID;
  CREATE TABLE uses(unit INTEGER, response INTEGER, PRIMARY KEY(unit, response)) WITHOUT ROWID;
  CREATE TABLE used(response INTEGER, unit INTEGER, PRIMARY KEY(response, unit)) WITHOUT ROWID;
)";
constexpr char const* indexes = R"(
  CREATE INDEX responses ON nodes(agent, at) WHERE agent IS NOT NULL;
  CREATE INDEX ids ON nodes(id);
  ANALYZE;
)";

}  // namespace

struct SqliteGraph::Impl {
  sqlite3* db = nullptr;
  std::map<std::string, sqlite3_stmt*> statements;

  void run(char const* sql) const {
    char* message = nullptr;
    if (sqlite3_exec(db, sql, nullptr, nullptr, &message) != SQLITE_OK) throw std::runtime_error(message);
  }
  [[nodiscard]] sqlite3_stmt* prepared(std::string const& sql) {
    auto& statement = statements[sql];
    if (statement == nullptr &&
        sqlite3_prepare_v3(db, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db));
    }
    return statement;
  }
  void insert(std::string const& sql, std::int64_t a, std::int64_t b) {
    auto* const statement = prepared(sql);
    sqlite3_bind_int64(statement, 1, a);
    sqlite3_bind_int64(statement, 2, b);
    if (sqlite3_step(statement) != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(db));
    sqlite3_reset(statement);
  }
  void insert(Dataset::Row const& row) {
    auto* const statement = prepared("INSERT INTO nodes VALUES(?,?,?,?)");
    sqlite3_bind_int64(statement, 1, row.key);
    sqlite3_bind_text(statement, 2, row.id.data(), static_cast<int>(row.id.size()), SQLITE_TRANSIENT);
    if (row.agent.empty()) {
      sqlite3_bind_null(statement, 3);
    } else {
      sqlite3_bind_text(statement, 3, row.agent.data(), static_cast<int>(row.agent.size()), SQLITE_TRANSIENT);
    }
    sqlite3_bind_int64(statement, 4, row.at.seconds);
    if (sqlite3_step(statement) != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(db));
    sqlite3_reset(statement);
  }
};

SqliteGraph::SqliteGraph(std::string const& path, Dataset const& data) : impl_(std::make_unique<Impl>()) {
  if (sqlite3_open(path.c_str(), &impl_->db) != SQLITE_OK) throw std::runtime_error("sqlite3_open " + path);
  impl_->run(tables);
  impl_->run("BEGIN");
  for (Dataset::Row const& row : data.rows) impl_->insert(row);
  // In the order of each table's key: rows are appended, and not put between others.
  auto edges = data.edges;
  std::ranges::sort(edges, {}, [](Dataset::Edge const& edge) { return std::pair{edge.cause, edge.effect}; });
  for (Dataset::Edge const& edge : edges) impl_->insert("INSERT INTO effects VALUES(?,?)", edge.cause, edge.effect);
  for (Dataset::Edge const& edge : edges) {
    if (edge.is_use) impl_->insert("INSERT INTO uses VALUES(?,?)", edge.cause, edge.effect);
  }
  std::ranges::sort(edges, {}, [](Dataset::Edge const& edge) { return std::pair{edge.effect, edge.cause}; });
  for (Dataset::Edge const& edge : edges) impl_->insert("INSERT INTO causes VALUES(?,?)", edge.effect, edge.cause);
  for (Dataset::Edge const& edge : edges) {
    if (edge.is_use) impl_->insert("INSERT INTO used VALUES(?,?)", edge.effect, edge.cause);
  }
  impl_->run("COMMIT");
  impl_->run(indexes);
}

SqliteGraph::~SqliteGraph() {
  for (auto const& each : impl_->statements) sqlite3_finalize(each.second);
  sqlite3_close(impl_->db);
}

std::string SqliteGraph::ask(std::string const& sql, std::span<std::int64_t const> params) {
  auto* const statement = impl_->prepared(sql);
  for (std::size_t i = 0; i < params.size(); ++i) sqlite3_bind_int64(statement, static_cast<int>(i + 1), params[i]);
  std::string text;
  int code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    if (!text.empty()) text += ';';
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      if (i > 0) text += ',';
      text += reinterpret_cast<char const*>(sqlite3_column_text(statement, i));
    }
  }
  if (code != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(impl_->db));
  sqlite3_reset(statement);
  return text;
}

}  // namespace whence::bench
