// Words of texts: what the index costs those who write, and how long a question waits for its first page.

#include "queries/render/search.hpp"

#include "queries/render/answer.hpp"
#include "schema/json/writer.hpp"
#include "tools/bench/data/prose.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <span>
#include <thread>

#include <sqlite3.h>

namespace whence::bench {
namespace {

constexpr std::size_t text_bytes = 300;
constexpr std::size_t records_per_batch = 100;
constexpr std::uint32_t page_items = 20;
constexpr double slower_at_most = 1.15;  // what writing may take with the index
constexpr double first_page_ms_max = 50;
constexpr std::uint32_t rare_every = 100'000;  // a word that one record in so many has

/// Records with a text each. Every one has the word "everywhere", one in 10 "often", one in 100,000 a rare word.
class Texts {
 public:
  std::string next() {
    auto text = prose_.text(text_bytes) + " everywhere";
    if (count_ % 10 == 0) text += " often";
    if (count_ % rare_every == rare_every / 2) text += " platypus";
    if (count_ % 10 == 1) text += " seldom";  // never with "often"
    ++count_;
    return text;
  }
  std::string word() { return prose_.term(); }

 private:
  Prose prose_;
  std::uint32_t count_ = 0;
};

std::vector<engine::WriteBatch> text_batches(Texts& texts, std::uint32_t first, std::uint32_t count) {
  std::vector<engine::WriteBatch> batches;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % records_per_batch == 0) batches.emplace_back();
    batches.back().records.push_back({.record = schema::ContextUnit{.id = "cu_t" + std::to_string(first + i),
                                                                    .type = schema::ContextType::external,
                                                                    .source = "file:texts",
                                                                    .timestamp = schema::Time{1'760'000'000, 0},
                                                                    .content = texts.next()}});
  }
  return batches;
}

double seconds_to_write(std::vector<engine::WriteBatch> batches, OpenEngine const& engine) {
  Stopwatch const watch;
  for (auto& batch : batches) engine.write(std::move(batch));
  return watch.seconds();
}

/// Writing with and without the index in turns, so that a slow minute of the machine meets both. Each goes first as
/// often as the other; the first pair only warms up.
void compare_writing(Options const& options) {
  auto const count = std::min<std::uint32_t>(60'000, options.responses);
  std::vector<double> without, with;
  auto const pairs = 2 * std::max(2U, options.repeats);
  for (unsigned i = 0; i <= pairs; ++i) {
    std::array order{engine::SearchBy::nothing, engine::SearchBy::index};
    if (i % 2 == 0) std::ranges::reverse(order);
    for (auto const by : order) {
      Scratch const scratch(options.directory + "/search");
      OpenEngine const engine(scratch.file("store"), nullptr, by);
      Texts texts;
      auto const seconds = seconds_to_write(text_batches(texts, 0, count), engine);
      if (i > 0) (by == engine::SearchBy::index ? with : without).push_back(count / seconds);
    }
  }
  print({.figure = "records with a text written beside the index, batches of 100",
         .unit = "records/s",
         .better = Better::higher,
         .whence = median(with),
         .others = {{"without the index", median(without)}, {"expected at least", median(without) / slower_at_most}}});
}

/// The same texts in one table of FTS5, asked for the best by its own BM25.
class Fts5Peer {
 public:
  explicit Fts5Peer(std::string const& file) {
    check(sqlite3_open(file.c_str(), &connection_));
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;"
        "CREATE VIRTUAL TABLE t USING fts5(text, tokenize='unicode61 remove_diacritics 2')");
  }
  ~Fts5Peer() { sqlite3_close_v2(connection_); }
  Fts5Peer(Fts5Peer const&) = delete;
  Fts5Peer& operator=(Fts5Peer const&) = delete;

  void fill(std::uint32_t count) {
    Texts texts;
    sqlite3_stmt* insert = nullptr;
    run("BEGIN");
    check(sqlite3_prepare_v2(connection_, "INSERT INTO t VALUES (?1)", -1, &insert, nullptr));
    for (std::uint32_t i = 0; i < count; ++i) {
      auto const text = texts.next();
      sqlite3_bind_text(insert, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    run("COMMIT");
  }

  double first_page_ms(std::string const& match) {
    Stopwatch const watch;
    sqlite3_stmt* ask = nullptr;
    check(sqlite3_prepare_v2(
        connection_, "SELECT rowid, snippet(t, 0, '[', ']', '', 32) FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 20", -1,
        &ask, nullptr));
    sqlite3_bind_text(ask, 1, match.data(), static_cast<int>(match.size()), SQLITE_TRANSIENT);
    while (sqlite3_step(ask) == SQLITE_ROW) {
    }
    sqlite3_finalize(ask);
    return watch.seconds() * 1'000;
  }

 private:
  static void check(int code) {
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errstr(code));
  }
  void run(char const* sql) { check(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr)); }

  sqlite3* connection_ = nullptr;
};

/// From the question to the JSON of its first page, records and snippets in it.
double first_page_ms(engine::Engine& engine, std::string const& text, std::size_t& total) {
  Stopwatch const watch;
  queries::View const view{.snapshot = engine.snapshot(), .records = &engine.records(), .texts = engine.texts()};
  schema::NoInterrupt const never;
  queries::SearchParams const params{.text = text, .include = {queries::Include::record}};
  auto const source = queries::answer<queries::search>(view, params, page_items, {never, 1'000'000}).value();
  std::string page;
  schema::json::Writer out(page);
  out.begin_array();
  auto const& nodes = source.lists.front();
  nodes.write(out, 0, std::min<std::size_t>(nodes.size, page_items)).value();
  out.end_array();
  total = nodes.size;
  return watch.seconds() * 1'000;
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

struct Question {
  char const* what;
  char const* text;   // the last word is whole where a space follows it
  char const* match;  // the same for FTS5
};

constexpr std::array questions{
    Question{"a word that every record has", "everywhere ", "everywhere"},
    Question{"a word that one in 10 has", "often ", "often"},
    Question{"a word that one in 100,000 has", "platypus ", "platypus"},
    Question{"a word that none has", "unheardof ", "unheardof"},
    Question{"two words, one in 10 has both", "everywhere often ", "everywhere often"},
    Question{"two words of one in 10 that none has together", "often seldom ", "often seldom"},
    Question{"a frequent and a rare word", "everywhere platypus ", "everywhere platypus"},
    Question{"the beginning of a word that every record has", "every", "every*"},
};

void ask_all(Options const& options) {
  Scratch const scratch(options.directory + "/search");
  OpenEngine const engine(scratch.file("store"), nullptr, engine::SearchBy::index);
  Texts texts;
  constexpr std::uint32_t piece = 20'000;
  Stopwatch const watch;
  for (std::uint32_t done = 0; done < options.responses; done += piece) {
    auto const count = std::min(piece, options.responses - done);
    for (auto& batch : text_batches(texts, done, count)) engine.write(std::move(batch));
  }
  auto const written = watch.seconds();
  while (engine->search()->tx < engine->snapshot().tx()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto const indexed = watch.seconds();
  auto const bytes = static_cast<double>(engine->search()->file_bytes);
  constexpr double mebibyte = 1 << 20;
  print({.figure = "records with a text until they are in the index",
         .unit = "s",
         .better = Better::lower,
         .whence = indexed,
         .others = {{"until they are written", written}},
         .note = shown(static_cast<double>(options.responses)) + " records, index of " + shown(bytes / mebibyte) +
                 " MiB, " + shown(static_cast<double>(engine->stats().file_bytes) / mebibyte) + " MiB of store"});
  Fts5Peer peer(scratch.file("peer.db"));
  peer.fill(options.responses);
  for (auto const& question : questions) {
    std::vector<double> times, of_peer;
    std::size_t total = 0;
    for (int i = 0; i < 100; ++i) times.push_back(first_page_ms(*engine, question.text, total));
    for (unsigned i = 0; i < options.repeats; ++i) of_peer.push_back(peer.first_page_ms(question.match));
    print({.figure = std::string("first page, ") + question.what,
           .unit = "ms",
           .better = Better::lower,
           .whence = median(times),
           .others = {{"p99", percentile(times, 0.99)},
                      {"FTS5 with BM25", median(of_peer)},
                      {"expected under", first_page_ms_max}},
           .note = shown(static_cast<double>(total)) + " found"});
  }
}

}  // namespace

void run_search(Options const& options) {
  print_title("Search: the index beside writes, and the first page of answers");
  compare_writing(options);
  ask_all(options);
}

}  // namespace whence::bench
