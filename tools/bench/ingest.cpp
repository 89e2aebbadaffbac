// Durable writes: responses per second in batches of 1, 100 and 10,000, compared with SQLite and raw LMDB on the same
// disk.

#include "tools/bench/data/prose.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/peers/sqlite.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <lmdb.h>

namespace whence::bench {
namespace {

/// The limit: one packed record per response, nothing else, each batch one durable LMDB transaction.
class RawLmdb {
 public:
  explicit RawLmdb(std::string const& directory) {
    std::filesystem::create_directories(directory);
    check(mdb_env_create(&env_), "mdb_env_create");
    check(mdb_env_set_mapsize(env_, std::size_t{16} << 30), "mdb_env_set_mapsize");
    check(mdb_env_open(env_, directory.c_str(), 0, 0644), "mdb_env_open");
  }
  ~RawLmdb() { mdb_env_close(env_); }
  RawLmdb(RawLmdb const&) = delete;
  RawLmdb& operator=(RawLmdb const&) = delete;

  void write(std::vector<Step> const& steps, std::size_t begin, std::size_t end) {
    MDB_txn* txn = nullptr;
    MDB_dbi table = 0;
    check(mdb_txn_begin(env_, nullptr, 0, &txn), "mdb_txn_begin");
    check(mdb_dbi_open(txn, nullptr, MDB_INTEGERKEY | MDB_CREATE, &table), "mdb_dbi_open");
    std::vector<std::byte> packed;
    for (std::size_t i = begin; i < end; ++i) {
      auto const& content = steps[i].content;
      packed.resize(steps[i].uses.size() * 8 + content.size());
      std::memcpy(packed.data() + steps[i].uses.size() * 8, content.data(), content.size());
      for (std::size_t use = 0; use < steps[i].uses.size(); ++use) {
        auto const weight = static_cast<float>(steps[i].uses[use].weight);
        std::memcpy(packed.data() + use * 8, &steps[i].uses[use].unit, 4);
        std::memcpy(packed.data() + use * 8 + 4, &weight, 4);
      }
      std::size_t number = steps[i].number;
      MDB_val key{sizeof number, &number};
      MDB_val value{packed.size(), packed.data()};
      check(mdb_put(txn, table, &key, &value, MDB_APPEND), "mdb_put");
    }
    check(mdb_txn_commit(txn), "mdb_txn_commit");
  }

 private:
  static void check(int code, char const* call) {
    if (code != 0) throw std::runtime_error(std::string{call} + ": " + mdb_strerror(code));
  }

  MDB_env* env_ = nullptr;
};

template <class Target>
double responses_per_second(Target& target, std::vector<Step> const& steps, std::size_t per_batch) {
  Stopwatch const watch;
  for (std::size_t begin = 0; begin < steps.size(); begin += per_batch) {
    target.write(steps, begin, std::min(steps.size(), begin + per_batch));
  }
  return static_cast<double>(steps.size()) / watch.seconds();
}

/// The peers get rows, the engine gets records; both are made before the clock starts.
double responses_per_second(OpenEngine& engine, std::vector<Step> const& steps, std::size_t per_batch) {
  auto batches = batches_of(steps, per_batch);
  Stopwatch const watch;
  for (auto& batch : batches) engine.write(std::move(batch));
  return static_cast<double>(steps.size()) / watch.seconds();
}

struct Size {
  std::size_t per_batch;
  std::size_t responses;  ///< written in one run
};

constexpr std::size_t content_bytes = 2'048;

/// The same with the text of each response. The source schema has no place for one.
void run_with_content(Options const& options) {
  for (Size const& size : {Size{1, std::min<std::size_t>(3'000, options.responses)},
                           Size{100, std::min<std::size_t>(30'000, options.responses)}}) {
    auto steps = Workload{}.take(size.responses);
    Prose prose;
    for (auto& step : steps) step.content = prose.text(content_bytes);
    std::vector<double> whence, tuned, lmdb;
    for (unsigned i = 0; i < std::max(1U, options.repeats / 2); ++i) {
      Scratch const scratch(options.directory + "/ingest");
      OpenEngine engine(scratch.file("whence"));
      SqlitePeer tuned_peer(scratch.file("tuned.db"), SqlitePeer::Schema::tuned);
      RawLmdb raw(scratch.file("lmdb"));
      whence.push_back(responses_per_second(engine, steps, size.per_batch));
      tuned.push_back(responses_per_second(tuned_peer, steps, size.per_batch));
      lmdb.push_back(responses_per_second(raw, steps, size.per_batch));
    }
    print({.figure = "batches of " + shown(static_cast<double>(size.per_batch)) + ", content of 2 KB",
           .unit = "responses/s",
           .better = Better::higher,
           .whence = median(whence),
           .others = {{"SQLite tuned", median(tuned)}, {"raw LMDB (limit)", median(lmdb)}}});
  }
}

/// One record of one of many writers, who wait for each answer.
engine::WriteBatch one_record(std::size_t writer, std::size_t number) {
  engine::WriteBatch batch;
  batch.records.push_back(
      {.record = schema::ContextUnit{.id = "cu_" + std::to_string(writer) + "_" + std::to_string(number),
                                     .type = schema::ContextType::user,
                                     .source = "memory:project/bench",
                                     .timestamp = schema::Time{.seconds = 1'760'000'000},
                                     .version = 1}});
  return batch;
}

/// What `writers` threads get done together, and how long each waited for each of its answers.
struct Together {
  double per_second;
  std::vector<double> waits_ms;
};

Together write_together(OpenEngine const& engine, std::size_t writers, std::size_t each) {
  std::vector<std::vector<double>> waits(writers);
  Stopwatch const watch;
  std::vector<std::thread> threads;
  for (std::size_t writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&engine, &waits, writer, each] {
      for (std::size_t number = 0; number < each; ++number) {
        Stopwatch const waited;
        engine.write(one_record(writer, number));
        waits[writer].push_back(1e3 * waited.seconds());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Together done{.per_second = static_cast<double>(writers * each) / watch.seconds(), .waits_ms = {}};
  for (auto const& some : waits) done.waits_ms.insert(done.waits_ms.end(), some.begin(), some.end());
  std::ranges::sort(done.waits_ms);
  return done;
}

void run_together(Options const& options) {
  constexpr std::size_t writers = 64;
  constexpr std::size_t each = 2'000;
  std::vector<double> rates, alone, waits;
  for (unsigned i = 0; i < std::max(1U, options.repeats); ++i) {
    Scratch const scratch(options.directory + "/ingest");
    OpenEngine const engine(scratch.file("whence"));
    alone.push_back(write_together(engine, 1, each).per_second);
    OpenEngine const fresh(scratch.file("fresh"));
    auto const done = write_together(fresh, writers, each);
    rates.push_back(done.per_second);
    waits.push_back(done.waits_ms[done.waits_ms.size() * 99 / 100]);
  }
  print({.figure = "64 writers, one record each",
         .unit = "records/s",
         .better = Better::higher,
         .whence = median(rates),
         .others = {{"one writer", median(alone)}, {"expected", 60'000}}});
  print({.figure = "64 writers, 99th percentile",
         .unit = "ms",
         .better = Better::lower,
         .whence = median(waits),
         .others = {{"expected under", 5}}});
}

}  // namespace

void run_ingest(Options const& options) {
  print_title("Ingest, durable, responses per second (units and edges with them)");
  Size const sizes[] = {{1, std::min<std::size_t>(3'000, options.responses)},
                        {100, std::min<std::size_t>(30'000, options.responses)},
                        {10'000, options.responses}};
  for (Size const& size : sizes) {
    auto const steps = Workload{}.take(size.responses);
    std::vector<double> whence, tuned, source, lmdb;
    for (unsigned i = 0; i < std::max(1U, options.repeats / 2); ++i) {
      Scratch const scratch(options.directory + "/ingest");
      OpenEngine engine(scratch.file("whence"));
      SqlitePeer tuned_peer(scratch.file("tuned.db"), SqlitePeer::Schema::tuned);
      SqlitePeer source_peer(scratch.file("source.db"), SqlitePeer::Schema::source);
      RawLmdb raw(scratch.file("lmdb"));
      whence.push_back(responses_per_second(engine, steps, size.per_batch));
      tuned.push_back(responses_per_second(tuned_peer, steps, size.per_batch));
      source.push_back(responses_per_second(source_peer, steps, size.per_batch));
      lmdb.push_back(responses_per_second(raw, steps, size.per_batch));
    }
    print({.figure = "batches of " + shown(static_cast<double>(size.per_batch)),
           .unit = "responses/s",
           .better = Better::higher,
           .whence = median(whence),
           .others = {{"SQLite tuned", median(tuned)},
                      {"SQLite, source schema", median(source)},
                      {"raw LMDB (limit)", median(lmdb)}}});
  }
  run_with_content(options);
  run_together(options);
}

}  // namespace whence::bench
