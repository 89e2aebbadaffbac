// The tables: `place` with one row, `words_N` and `revised_N` of FTS5, `revisions` from rows of the latter to vertices.
//
// Tables of FTS5 hold no texts (`content=''`) and no positions (`detail=none`): which rows have a word is all that is
// asked. A table per shard bounds the work on a common word, which begins with the newest shard, and what has to be
// made anew where a text is removed. SQLite overwrites what it frees (`secure_delete`).
#include "store/search/text_database.hpp"

#include "store/search/sqlite.hpp"
#include "store/search/word_splitter.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace whence::store {
namespace {

using sqlite::Access;
using sqlite::Connection;
using sqlite::Failure;
using sqlite::Statement;

constexpr int index_format = 2;
constexpr std::int64_t shard_revisions = 32'768;
constexpr std::size_t vocabulary_shards = 2;  // the newest, whose words are suggested

constexpr auto index_pragmas =
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=OFF;"
    "PRAGMA secure_delete=ON;"
    "PRAGMA cache_size=-16384;"  // KiB
    "PRAGMA journal_size_limit=16777216";
constexpr auto reader_pragmas = "PRAGMA temp_store=MEMORY; PRAGMA query_only=ON; PRAGMA cache_size=-4096";

constexpr auto index_tables =
    "CREATE TABLE place (one INTEGER PRIMARY KEY, format INTEGER, epoch TEXT, tx INTEGER, vertices INTEGER, leaf BLOB,"
    " boot TEXT, is_closed INTEGER);"
    "CREATE TABLE shards (revised INTEGER, shard INTEGER, PRIMARY KEY (revised, shard));"
    "CREATE TABLE revisions (row INTEGER PRIMARY KEY AUTOINCREMENT, vertex INTEGER);"
    "CREATE INDEX revisions_of ON revisions (vertex)";

/// Changes when the system is started.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

/// The word that all records of a type have.
std::string mark_of(schema::RecordType type) {
  static_assert(schema::record_type_count <= 64, "the mark ends with one byte of six bits");
  constexpr unsigned continuation = 0x80;
  return std::string("\xEE\x80") + static_cast<char>(continuation + static_cast<unsigned>(type));
}

/// `query` in the language of FTS5. Words are letters and digits, so that nothing in them has to be escaped.
std::string match_of(schema::WordQuery const& query) {
  std::string match;
  auto const add = [&](std::string_view before, std::string_view mark, std::string_view word) {
    match.append(before).append("\"").append(mark).append(word).append("\"");
  };
  for (std::size_t i = 0; i < query.words.size(); ++i) {
    add(match.empty() ? "(" : " AND (", "", query.words[i]);
    if (query.last_is_prefix && i + 1 == query.words.size()) match += " *";
    if (!query.stems.empty()) {
      auto const& stem = query.stems[i];
      add(" OR ", stem_mark, stem.stem);
      if (stem.is_word && stem.stem != query.words[i]) add(" OR ", "", stem.stem);
    }
    match += ")";
  }
  if (!query.types) return match;
  std::string marks;
  for (auto const& row : schema::record_types()) {
    if (!query.types->contains(row.type)) continue;
    if (!marks.empty()) marks += " OR ";
    marks.append("\"").append(mark_of(row.type)).append("\"");
  }
  return match + " AND (" + (marks.empty() ? "\"\xEE\x80\x80\"" : marks) + ")";
}

std::string table_name(bool is_revised, std::int64_t shard) {
  return (is_revised ? "revised_" : "words_") + std::to_string(shard);
}

/// The words of a shard with the number of its texts that have each.
std::string said_in(std::int64_t shard) {
  return "said_" + std::to_string(shard);
}

[[noreturn]] void rethrow(Failure const& failure) {
  if (failure.is_damage()) throw TextDatabaseDamaged(failure.what());
  throw std::runtime_error(failure.what());
}

/// Calls `work`, whose failures leave in the terms of this file's header.
template <class Work>
auto translated(Work const& work) {
  try {
    return work();
  } catch (Failure const& failure) {
    rethrow(failure);
  }
}

/// A connection that reads, with its statements.
struct IndexReader {
  explicit IndexReader(std::filesystem::path const& file) : connection(file, Access::read) {
    connection.run(reader_pragmas);
  }

  Statement& statement(bool is_revised, std::int64_t shard) {
    auto const found = statements.find({is_revised, shard});
    if (found != statements.end()) return found->second;
    auto const table = table_name(is_revised, shard);
    auto const sql = is_revised ? "SELECT r.vertex FROM " + table + " JOIN revisions r ON r.row = " + table +
                                      ".rowid WHERE " + table + " MATCH ?1 AND r.vertex < ?2 LIMIT ?3"
                                : "SELECT rowid FROM " + table + " WHERE " + table +
                                      " MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3";
    return statements.emplace(std::pair{is_revised, shard}, connection.prepare(sql)).first->second;
  }

  Connection connection;
  Statement place = connection.prepare("SELECT tx, vertices FROM place");
  Statement shards = connection.prepare("SELECT revised, shard FROM shards ORDER BY revised DESC, shard DESC");
  std::map<std::pair<bool, std::int64_t>, Statement> statements;
};

/// What one call has of a reader's transaction.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection) : connection_(connection) { connection.run("BEGIN"); }
  ~ReadTransaction() { connection_.try_to_run("COMMIT"); }
  ReadTransaction(ReadTransaction const&) = delete;
  ReadTransaction& operator=(ReadTransaction const&) = delete;

 private:
  Connection& connection_;
};

/// The statement that adds to one table; another table takes its place.
struct TextAdder {
  std::int64_t shard = -1;
  std::optional<Statement> statement = {};
};

}  // namespace

struct TextDatabase::Impl {
  Impl(std::filesystem::path const& at) : file(at), connection(at, Access::write) {
    connection.run(index_pragmas);
    std::error_code ignored;  // as private as the store's own file
    std::filesystem::permissions(at, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, ignored);
  }

  void make(std::string const& epoch) {
    connection.run("BEGIN");
    connection.run(index_tables);
    auto row = connection.prepare("INSERT INTO place VALUES (1, ?1, ?2, 0, 0, x'', ?3, 0)");
    auto const boot = boot_id();
    row.bind(1, index_format).bind(2, epoch).bind(3, boot).run();
    connection.run("COMMIT");
  }

  /// Whether what is in the file can be gone on with.
  bool is_usable(std::string const& epoch) {
    auto row = connection.prepare("SELECT format, epoch, boot, is_closed FROM place");
    if (!row.step()) return false;
    bool const is_ours = row.number(0) == index_format && row.text(1) == epoch;
    auto const boot = boot_id();  // empty where /proc is hidden: then it is not known whether the power was lost since
    bool const is_whole = row.number(3) == 1 || (!boot.empty() && row.text(2) == boot);
    row.reset();
    return is_ours && is_whole;
  }

  void mark_open() {
    auto row = connection.prepare("UPDATE place SET is_closed = 0, boot = ?1");
    auto const boot = boot_id();
    row.bind(1, boot).run();
  }

  void close() noexcept {
    readers.clear();
    connection.try_to_run("PRAGMA synchronous=FULL");
    if (connection.try_to_run("PRAGMA wal_checkpoint(TRUNCATE)") &&
        connection.try_to_run("UPDATE place SET is_closed = 1"))
      connection.try_to_run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /// The statement that adds to a table, which is made where it is missing.
  Statement& adder(bool is_revised, std::int64_t shard) {
    auto& adding = is_revised ? revised : first;
    if (adding.shard == shard && adding.statement) return *adding.statement;
    auto const table = table_name(is_revised, shard);
    if (is_known(is_revised, shard)) {
      adding.statement.emplace(connection.prepare("INSERT INTO " + table + "(rowid, text) VALUES (?1, ?2)"));
    } else {
      if (shard > 0) optimize(is_revised, shard - 1);
      connection.run("CREATE VIRTUAL TABLE " + table +
                     " USING fts5(text, content='', columnsize=0, detail=none, tokenize='words')");
      connection.run("INSERT INTO " + table + "(" + table + ", rank) VALUES ('hashsize', 4194304)");
      if (!is_revised)
        connection.run("CREATE VIRTUAL TABLE " + said_in(shard) + " USING fts5vocab(" + table + ", row)");
      auto known = connection.prepare("INSERT INTO shards VALUES (?1, ?2)");
      known.bind(1, std::int64_t{is_revised}).bind(2, shard).run();
      adding.statement.emplace(connection.prepare("INSERT INTO " + table + "(rowid, text) VALUES (?1, ?2)"));
    }
    adding.shard = shard;
    return *adding.statement;
  }

  bool is_known(bool is_revised, std::int64_t shard) {
    auto row = connection.prepare("SELECT 1 FROM shards WHERE revised = ?1 AND shard = ?2");
    bool const found = row.bind(1, std::int64_t{is_revised}).bind(2, shard).step();
    row.reset();
    return found;
  }

  /// A table that gets no more texts answers fastest from one segment.
  void optimize(bool is_revised, std::int64_t shard) {
    if (!is_known(is_revised, shard)) return;
    auto const table = table_name(is_revised, shard);
    connection.run("INSERT INTO " + table + "(" + table + ") VALUES ('optimize')");
  }

  void clear(bool is_revised, std::int64_t shard) {
    if (!is_known(is_revised, shard)) return;
    auto const table = table_name(is_revised, shard);
    connection.run("INSERT INTO " + table + "(" + table + ") VALUES ('delete-all')");
  }

  static std::string marked(schema::RecordType type, std::string_view text) {
    return mark_of(type).append(" ").append(text);
  }

  std::unique_ptr<IndexReader> take_reader() {
    {
      std::lock_guard const lock(mutex);
      if (!readers.empty()) {
        auto taken = std::move(readers.back());
        readers.pop_back();
        return taken;
      }
    }
    return std::make_unique<IndexReader>(file);
  }
  void give_back(std::unique_ptr<IndexReader> reader) {
    std::lock_guard const lock(mutex);
    readers.push_back(std::move(reader));
  }

  std::filesystem::path const file;
  Connection connection;
  TextAdder first;
  TextAdder revised;
  std::mutex mutex;                                   // guards the next
  std::vector<std::unique_ptr<IndexReader>> readers;  // idle; as many as threads ever asked at once
};

std::unique_ptr<TextDatabase> TextDatabase::open(std::filesystem::path const& file, std::string const& epoch) {
  return translated([&] {
    // A link is not followed: the file that it leads to may be another store's.
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file))) {
      try {
        auto impl = std::make_unique<Impl>(file);
        if (impl->is_usable(epoch)) {
          impl->mark_open();
          return std::unique_ptr<TextDatabase>(new TextDatabase(std::move(impl)));
        }
      } catch (Failure const& failure) {
        if (!failure.is_damage()) throw;
      }
    }
    remove(file);
    auto impl = std::make_unique<Impl>(file);
    impl->make(epoch);
    return std::unique_ptr<TextDatabase>(new TextDatabase(std::move(impl)));
  });
}

TextDatabase::TextDatabase(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextDatabase::~TextDatabase() {
  impl_->close();
}

void TextDatabase::remove(std::filesystem::path const& file) {
  for (auto const* const suffix : {"", "-wal", "-shm", "-journal"}) {
    auto name = file;
    name += suffix;
    std::error_code ignored;  // what cannot be removed is met again when it is opened
    std::filesystem::remove(name, ignored);
  }
}

IndexPlace TextDatabase::place() const {
  return translated([&] {
    auto row = impl_->connection.prepare("SELECT tx, vertices, leaf FROM place");
    if (!row.step()) throw TextDatabaseDamaged("the index of texts has no place");
    IndexPlace found{.tx = TxId{static_cast<std::uint64_t>(row.number(0))},
                     .vertices = static_cast<std::uint32_t>(row.number(1))};
    auto const leaf = row.text(2);
    if (leaf.size() == found.leaf.bytes.size()) std::ranges::copy(leaf, found.leaf.bytes.begin());
    row.reset();
    return found;
  });
}

void TextDatabase::begin() {
  translated([&] { impl_->connection.run("BEGIN IMMEDIATE"); });
}

void TextDatabase::add(VertexId vertex, schema::RecordType type, std::string_view text) {
  translated([&] {
    auto const row = schema::number(vertex);
    auto const whole = Impl::marked(type, text);
    impl_->adder(false, row / shard_vertices).bind(1, std::int64_t{row}).bind(2, whole).run();
  });
}

void TextDatabase::add_revised(VertexId vertex, schema::RecordType type, std::string_view text) {
  translated([&] {
    auto known = impl_->connection.prepare("INSERT INTO revisions (vertex) VALUES (?1) RETURNING row");
    known.bind(1, std::int64_t{schema::number(vertex)});
    if (!known.step()) throw TextDatabaseDamaged("the index of texts takes no revision");
    auto const row = known.number(0);
    known.run();
    auto const whole = Impl::marked(type, text);
    impl_->adder(true, row / shard_revisions).bind(1, row).bind(2, whole).run();
  });
}

void TextDatabase::clear_shard(std::uint32_t shard) {
  translated([&] { impl_->clear(false, shard); });
}

std::vector<VertexId> TextDatabase::clear_revised(std::vector<VertexId> const& vertices) {
  return translated([&] {
    std::set<std::int64_t> shards;
    auto rows = impl_->connection.prepare("SELECT row FROM revisions WHERE vertex = ?1");
    for (auto const vertex : vertices) {
      rows.bind(1, std::int64_t{schema::number(vertex)});
      while (rows.step()) shards.insert(rows.number(0) / shard_revisions);
    }
    std::set<VertexId> cleared;
    auto whose = impl_->connection.prepare("SELECT vertex FROM revisions WHERE row >= ?1 AND row < ?2");
    auto forget = impl_->connection.prepare("DELETE FROM revisions WHERE row >= ?1 AND row < ?2");
    for (auto const shard : shards) {
      auto const begin = shard * shard_revisions;
      whose.bind(1, begin).bind(2, begin + shard_revisions);
      while (whose.step()) cleared.insert(VertexId{static_cast<std::uint32_t>(whose.number(0))});
      forget.bind(1, begin).bind(2, begin + shard_revisions).run();
      impl_->clear(true, shard);
    }
    return std::vector<VertexId>(cleared.begin(), cleared.end());
  });
}

void TextDatabase::commit(IndexPlace const& place) {
  translated([&] {
    auto row = impl_->connection.prepare("UPDATE place SET tx = ?1, vertices = ?2, leaf = ?3");
    row.bind(1, static_cast<std::int64_t>(schema::number(place.tx))).bind(2, std::int64_t{place.vertices});
    row.bind(3, std::span<std::uint8_t const>{place.leaf.bytes}).run();
    impl_->connection.run("COMMIT");
  });
}

void TextDatabase::roll_back() noexcept {
  impl_->first = {};  // they may be of a table that is rolled back
  impl_->revised = {};
  impl_->connection.try_to_run("ROLLBACK");
}

bool TextDatabase::forget_removed() {
  return translated([&] {
    auto row = impl_->connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    bool const is_done = row.step() && row.number(0) == 0;
    row.reset();
    return is_done;
  });
}

IndexHits TextDatabase::find(schema::WordQuery const& query, schema::Interrupt const& interrupt) const {
  return translated([&] {
    auto reader = impl_->take_reader();
    IndexHits hits;
    {
      ReadTransaction const transaction(reader->connection);
      if (!reader->place.step()) throw TextDatabaseDamaged("the index of texts has no place");
      hits.place = {.tx = TxId{static_cast<std::uint64_t>(reader->place.number(0))},
                    .vertices = static_cast<std::uint32_t>(reader->place.number(1))};
      reader->place.reset();
      auto const match = match_of(query);
      std::vector<std::pair<bool, std::int64_t>> shards;
      while (reader->shards.step()) shards.emplace_back(reader->shards.number(0) != 0, reader->shards.number(1));
      std::vector<VertexId> revised;
      for (auto const& [is_revised, shard] : shards) {
        auto& into = is_revised ? revised : hits.vertices;
        if (into.size() >= query.found_max) {
          hits.is_cut = true;
          continue;
        }
        constexpr std::uint64_t steps_of_shard = 4096;
        if (interrupt.check(steps_of_shard) != schema::Stop::none) {
          hits.is_cut = true;
          break;
        }
        auto& statement = reader->statement(is_revised, shard);
        statement.bind(1, match).bind(2, std::int64_t{query.vertices});
        statement.bind(3, static_cast<std::int64_t>(query.found_max - into.size() + 1));
        while (statement.step()) into.push_back(VertexId{static_cast<std::uint32_t>(statement.number(0))});
      }
      hits.vertices.insert(hits.vertices.end(), revised.begin(), revised.end());
    }
    impl_->give_back(std::move(reader));
    std::ranges::sort(hits.vertices, std::greater{});
    hits.vertices.erase(std::unique(hits.vertices.begin(), hits.vertices.end()), hits.vertices.end());
    if (hits.vertices.size() > query.found_max) {
      hits.vertices.resize(query.found_max);
      hits.is_cut = true;
    }
    return hits;
  });
}

std::vector<std::string> TextDatabase::words_from(std::string_view first, std::string_view end,
                                                  schema::Interrupt const& interrupt) const {
  return translated([&] {
    auto reader = impl_->take_reader();
    std::map<std::string, std::int64_t> counts;
    {
      ReadTransaction const transaction(reader->connection);
      std::vector<std::int64_t> shards;
      while (reader->shards.step()) {
        if (reader->shards.number(0) == 0 && shards.size() < vocabulary_shards)
          shards.push_back(reader->shards.number(1));
      }
      constexpr std::uint64_t steps_of_shard = 4096;
      for (auto const shard : shards) {
        if (interrupt.check(steps_of_shard) != schema::Stop::none) break;
        auto said = reader->connection.prepare("SELECT term, doc FROM " + said_in(shard) +
                                               " WHERE term >= ?1 AND term < ?2 LIMIT ?3");
        said.bind(1, first).bind(2, end).bind(3, static_cast<std::int64_t>(schema::near_words_max));
        while (said.step()) counts[said.text(0)] += said.number(1);
      }
    }
    impl_->give_back(std::move(reader));
    std::vector<std::pair<std::int64_t, std::string>> ranked;
    ranked.reserve(counts.size());
    for (auto& [word, count] : counts) ranked.emplace_back(-count, word);
    std::ranges::sort(ranked);
    std::vector<std::string> words;
    words.reserve(std::min(ranked.size(), schema::near_words_max));
    for (auto& each : ranked) {
      if (words.size() == schema::near_words_max) break;
      words.push_back(std::move(each.second));
    }
    return words;
  });
}

std::uint64_t TextDatabase::file_bytes() const {
  std::uint64_t bytes = 0;
  for (auto const* const suffix : {"", "-wal"}) {
    auto name = impl_->file;
    name += suffix;
    std::error_code unknown;
    auto const size = std::filesystem::file_size(name, unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace whence::store
