// The engine's parts and its one thread. engine/writer/writer.cpp processes its groups.

#include "engine/engine.hpp"

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/columns/column_keeper.hpp"
#include "engine/intake/intake.hpp"
#include "engine/search/text_indexer.hpp"
#include "engine/search/text_scan.hpp"
#include "engine/values/commit_metrics.hpp"
#include "engine/values/helper.hpp"
#include "engine/values/priority.hpp"
#include "engine/writer/delta.hpp"
#include "engine/writer/inbox.hpp"
#include "engine/writer/writer.hpp"
#include "schema/types/record_type.hpp"
#include "schema/types/ref.hpp"
#include "store/backups/backup_set.hpp"
#include "store/files/files.hpp"
#include "store/log/store.hpp"
#include "store/replicated/membership.hpp"
#include "store/upkeep/last_backup.hpp"
#include "store/verify/verify.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>

namespace whence::engine {
namespace {

/// How long a client that met a full inbox should wait before it tries again: a few groups.
constexpr std::uint32_t busy_retry_ms = 50;

/// A backup, and the last transactions of its parts: of a set those of its base and its segments, each of which has
/// what was there when it was made, whatever went later.
struct LookedAt {
  OlderBackup backup;
  std::vector<TxId> ends;  ///< ascending
};

std::vector<TxId> ends_of(store::Manifest const& manifest) {
  std::vector<TxId> ends{manifest.base.tx};
  for (auto const& segment : manifest.segments) ends.push_back(segment.to);
  return ends;
}

/// What cannot be seen from here is as it was noted; it may be a set that was added to.
LookedAt unseen(store::LastBackup const& noted) {
  auto ends = noted.earlier;
  ends.push_back(noted.tx);
  std::ranges::sort(ends);
  return {.backup = {.path = noted.path, .tx = noted.tx, .was_looked_at = false, .counts = {}},
          .ends = std::move(ends)};
}

/// The sets of this store at a place that was noted, or the one copy.
std::vector<LookedAt> look_at_backup(store::LastBackup const& noted, std::string_view epoch) {
  std::filesystem::path const place{noted.path};
  try {
    std::vector<LookedAt> found;
    auto const sets = store::read_sets(place);
    bool const has_sets = sets && !sets->empty();
    for (std::size_t i = 0; has_sets && i < sets->size(); ++i) {
      auto const& set = (*sets)[i];
      if (set.manifest.epoch != epoch) continue;  // of another history
      found.push_back(
          {.backup = {.path = set.path.string(), .tx = set.manifest.last(), .was_looked_at = true, .counts = {}},
           .ends = ends_of(set.manifest)});
    }
    if (has_sets) return found;
    if (!std::filesystem::exists(place / "data.mdb")) return {unseen(noted)};
    return {{.backup = {.path = noted.path, .tx = noted.tx, .was_looked_at = true, .counts = {}}, .ends = {noted.tx}}};
  } catch (std::system_error const&) {
    return {unseen(noted)};
  }
}

/// Nodes by their vertices, each with the transaction that purged it: the last one, where there are several.
using PurgedAt = std::map<graph::VertexId, std::optional<TxId>>;

/// Those of `refs`, each once. What went at `first` or before has that. O(log entries since then).
PurgedAt find_purged(graph::Snapshot const& known, store::Store const& store, std::vector<std::string> const& refs,
                     TxId first) {
  PurgedAt all;
  std::set<graph::VertexId> sought;
  for (auto const& text : refs) {
    auto const ref = schema::parse_ref(text);
    if (!ref) continue;
    for (auto const vertex : known.find_all_ever(ref->type, ref->id)) {
      bool const is_purged = known.gone(vertex) == graph::GoneWhy::purged;
      all.emplace(vertex, is_purged ? std::optional{first} : std::nullopt);
      if (is_purged) sought.insert(vertex);
    }
  }
  for (auto tx = known.tx(); tx > first && !sought.empty(); tx = TxId{schema::number(tx) - 1}) {
    auto const entry = store.log_entry(tx);
    if (!entry) {  // a backup is rather named once too often
      for (auto const vertex : sought) all[vertex] = std::nullopt;
      break;
    }
    for (auto const& change : changes_of(*entry, schema::stored::ChangeKind::purge)) {
      if (sought.erase(change.vertex) > 0) all[change.vertex] = tx;
    }
  }
  return all;
}

/// How many of `nodes` a backup has the contents of, by record type: those that went after the part they came into was
/// made.
std::map<std::string_view, std::uint64_t> counts_in(LookedAt const& at, graph::Snapshot const& known,
                                                    PurgedAt const& nodes) {
  std::map<std::string_view, std::uint64_t> counts;
  for (auto const& [vertex, purged] : nodes) {
    auto const part = std::ranges::lower_bound(at.ends, known.created(vertex));
    bool const is_there = part != at.ends.end() && (!purged || *part < *purged);
    if (is_there) ++counts[schema::name_of(known.type(vertex))];
  }
  return counts;
}

/// An embedding to be read, and the transaction that wrote it.
struct StoredEmbedding {
  schema::ContentId content;
  TxId tx;
};

/// The contents of chunks that may hold an embedding: the first, and each addition.
std::vector<StoredEmbedding> stored_embeddings(graph::Snapshot const& snapshot) {
  std::vector<StoredEmbedding> found;
  auto chunks = snapshot.vertices(schema::RecordType::retrieved_chunk);
  auto const deleted = snapshot.deleted_vertices(schema::RecordType::retrieved_chunk);
  chunks.insert(chunks.end(), deleted.begin(), deleted.end());
  for (auto const chunk : chunks) {
    found.push_back({{chunk, 0}, snapshot.created(chunk)});
    for (auto const& revision : snapshot.revisions(chunk)) {
      if (revision.kind != schema::RevisionKind::update) found.push_back({{chunk, revision.number}, revision.tx});
    }
  }
  std::ranges::sort(found, {}, &StoredEmbedding::tx);
  return found;
}

/// The embeddings of all chunks, of deleted ones too, since questions about earlier moments still find them.
Result<void> read_vectors(store::Store const& store, graph::Snapshot const& snapshot, std::string const& unnamed_model,
                          graph::Vectors& vectors) {
  auto const stored = stored_embeddings(snapshot);
  std::vector<schema::ContentId> contents;
  contents.reserve(stored.size());
  for (auto const& each : stored) contents.push_back(each.content);
  auto read = store.read(contents, [&](std::size_t i, schema::StoredContent&& record) {
    if (!record) return true;
    auto const& chunk = std::get<schema::RetrievedChunk>(*record);
    if (!chunk.embedding) return true;
    vectors.append(stored[i].content.vertex, stored[i].tx, *chunk.embedding,
                   chunk.embedding_model.value_or(unnamed_model));
    return true;
  });
  vectors.publish();
  return read;
}

}  // namespace

struct Engine::Impl {
  Impl(EngineConfig const& given, schema::Clock const& given_clock, IdSource& ids, std::unique_ptr<store::Store> opened,
       std::unique_ptr<store::SharedLog> shared)
      : config(given),
        clock(given_clock),
        store(std::move(opened)),
        inbox({config.inbox_batches_max, config.inbox_bytes_max, config.group_records_max}),
        log(std::move(shared)),
        writer({config, clock, ids, helper, *store, graph, vectors, metrics, failure, room, log.get(),
                log ? std::nullopt : store::find_membership(config.directory)}),
        checkpoints(*store, graph, config.checkpoint_edges, config.on_trouble),
        columns(graph, *store, config.checkpoint_edges == 0 ? 0 : config.checkpoint_rows, config.on_trouble) {}

  /// The thread, last declared, is joined first and drains the inbox.
  ~Impl() {
    inbox.close();
    if (log) log->give_up();
  }

  static void refuse(std::vector<Request>& group) {
    for (auto& each : group) each.done(Error{.code = Errc::busy, .message = "the server stops; nothing was written"});
  }

  void start() {
    if (config.keeps_columns) columns.start();
    followers.emplace_back([this](schema::TxId) {
      columns.wake();
      checkpoints.wake();
      if (indexer) indexer->wake();
    });
    thread = std::jthread([this] {
      answer_soon();
      ::pthread_setname_np(::pthread_self(), "writer");  // seen by `top -H`
      auto const more = [this] { return inbox.take_waiting(); };
      auto const announce = [this](schema::TxId head) {
        std::scoped_lock const lock{followers_mutex};
        for (auto const& each : followers) each(head);
      };
      schema::ThreadGuard guard{config.on_trouble, "writer", "what it had taken may not be written, reads go on"};
      for (bool is_over = false; !is_over;) {
        bool is_taken = false;
        bool const is_whole = guard.run([&] {
          auto group = inbox.take_group();
          is_over = !group;
          if (is_over) return;
          is_taken = true;
          // The answers are not waited for any more, and each group might wait for the log.
          if (log && inbox.is_closed()) return refuse(*group);
          writer.process(std::move(*group), more, announce, report_failure);
        });
        if (!is_whole && is_taken) guard.run([this] { failure.set("the writer broke off"); });
      }
    });
  }

  EngineConfig const config;
  schema::Clock const& clock;
  std::unique_ptr<store::Store> store;
  graph::Graph graph;
  graph::Vectors vectors;
  std::unique_ptr<store::PairedFiles> files;
  CommitMetrics metrics;
  Failure failure;
  Room room;
  Inbox inbox;
  Helper helper;
  std::unique_ptr<store::SharedLog> log;  // null where this store alone is the log; its threads nudge the inbox
  std::mutex followers_mutex;             // a replicated log may bring transactions before all of them are there
  std::vector<Announce> followers;
  // Set before the first request, which hands it to the thread through the inbox's mutex.
  FailureReport report_failure;
  Writer writer;
  Checkpoints checkpoints;
  ColumnKeeper columns;
  std::unique_ptr<TextIndexer> indexer;  // null where texts are not indexed
  std::unique_ptr<TextScan> scan;        // null where they are not searched record by record
  std::jthread thread;
};

Result<std::unique_ptr<Engine>> Engine::open(EngineConfig const& config, schema::Clock const& clock, IdSource& ids,
                                             std::unique_ptr<store::SharedLog> log) {
  auto opened = store::Store::open(
      config.directory,
      {.map_bytes = config.store_map_bytes, .is_durable = config.is_durable, .is_shared = log != nullptr});
  if (!opened) return opened.error();
  auto impl = std::make_unique<Impl>(config, clock, ids, std::move(*opened), std::move(log));
  if (!config.files.empty()) {
    auto files = store::PairedFiles::open(config.files);
    if (!files) return files.error();
    impl->files = std::move(*files);
  }
  Result<graph::Graph> started = impl->checkpoints.start();
  if (!started) return started.error();
  impl->graph = std::move(*started);
  auto const read = read_vectors(*impl->store, impl->graph.snapshot(), config.embeddings.unnamed, impl->vectors);
  if (!read) return read.error();
  if (impl->log) {
    impl->log->on_arrival([&inbox = impl->inbox] { inbox.nudge(); });
    if (auto const joined = impl->writer.join(); !joined) return joined.error();
    if (impl->log->figures().position > 0) store::keep_membership(config.directory, impl->log->name());
  }
  if (config.search == SearchBy::index)
    impl->indexer = std::make_unique<TextIndexer>(*impl->store, impl->graph, config.directory);
  if (config.search == SearchBy::scan) impl->scan = std::make_unique<TextScan>();
  impl->start();
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

schema::CheckContext Engine::check_context(std::optional<schema::Mode> mode) const {
  return {.latest_time = schema::plus_seconds(impl_->clock.now(), impl_->config.future_tolerance_s),
          .embeddings = impl_->config.embeddings,
          .mode = mode.value_or(impl_->config.mode),
          .id_key = impl_->store->id_key()};
}

void Engine::check(schema::IncomingRecord& incoming, schema::CheckContext const& context) {
  check_fields(incoming, context);
}

PreparedBatch Engine::prepare(WriteBatch batch) const {
  auto const mode = batch.mode;
  return std::make_shared<Request>(take_in(std::move(batch), check_context(mode), impl_->helper));
}

void Engine::submit(WriteBatch batch, WriteDone done) {
  schema::Author author{.actor = batch.actor, .who = batch.who};
  auto const peer = batch.peer;
  submit(prepare(std::move(batch)), std::move(author), peer, std::move(done));
}

void Engine::submit(PreparedBatch const& prepared, schema::Author author, std::uint64_t peer, WriteDone done) {
  prepared->done = std::move(done);
  prepared->batch.actor = std::move(author.actor);
  prepared->batch.who = std::move(author.who);
  prepared->batch.peer = peer;
  if (impl_->inbox.offer(*prepared)) return;
  prepared->done(Error{.code = Errc::busy, .message = "too many writes are waiting", .retry_after_ms = busy_retry_ms});
}

Result<WriteAnswer> Engine::write(WriteBatch batch) {
  // Shared, because the writer thread may still be inside `set_value` when the waiting thread continues.
  auto const answered = std::make_shared<std::promise<Result<WriteAnswer>>>();
  auto answer = answered->get_future();
  submit(std::move(batch), [answered](Result<WriteAnswer> result) { answered->set_value(std::move(result)); });
  return answer.get();
}

graph::Snapshot Engine::snapshot() const {
  return impl_->graph.snapshot();
}
Result<void> Engine::read_deltas(TxId first, graph::Snapshot const& head,
                                 std::function<bool(graph::Delta&&)> const& visit) const {
  if (first > head.tx()) return {};
  return impl_->store->read_commits(first, [&](store::ReplayedCommit const& commit) {
    return visit(delta_of(commit, head)) && commit.tx < head.tx();
  });
}
Result<std::vector<WrittenContent>> Engine::contents_of(TxId tx) const {
  auto const entry = impl_->store->log_entry(tx);
  if (!entry) return entry.error();
  std::vector<WrittenContent> written;
  auto const puts = schema::stored::changes_of(*entry, schema::stored::ChangeKind::put);
  auto const revises = schema::stored::changes_of(*entry, schema::stored::ChangeKind::revise);
  written.reserve(puts.size() + revises.size());
  for (auto const& put : puts) written.push_back({.content = {put.vertex}, .commitment = put.digest});
  if (revises.empty()) return written;
  auto const read = impl_->store->read_commits(tx, [&](store::ReplayedCommit const& commit) {
    for (std::size_t i = 0; i < revises.size() && i < commit.revisions.size(); ++i) {
      auto const& row = commit.revisions[i];
      written.push_back({{row.vertex, row.revision}, row.kind, revises[i].digest});
    }
    return false;
  });
  if (!read) return read.error();
  return written;
}
Result<std::optional<schema::stored::Opening>> Engine::open_content(WrittenContent const& written) const {
  return impl_->store->open_content(written.content, written.kind);
}
Result<schema::Digest> Engine::entry_hash(TxId tx) const {
  return impl_->store->leaf_hash(tx);
}
schema::RecordReader const& Engine::records() const {
  return *impl_->store;
}
schema::AuthorReader const& Engine::authors() const {
  return *impl_->store;
}
void Engine::forget_touched_pages() const noexcept {
  impl_->store->forget_touched_pages();
}
graph::Vectors const& Engine::vectors() const {
  return impl_->vectors;
}
graph::FieldColumns const* Engine::columns() const {
  return impl_->config.keeps_columns ? &impl_->columns.columns() : nullptr;
}
schema::TextIndex const* Engine::texts() const {
  if (impl_->indexer) return impl_->indexer.get();
  return impl_->scan.get();
}
std::optional<SearchFigures> Engine::search() const {
  return impl_->indexer ? std::optional{impl_->indexer->figures()} : std::nullopt;
}
store::PairedFiles* Engine::files() const {
  return impl_->files.get();
}
EngineConfig const& Engine::config() const {
  return impl_->config;
}
std::filesystem::path const& Engine::directory() const {
  return impl_->config.directory;
}
std::string Engine::epoch() const {
  return impl_->store->epoch();
}
store::StoreStats Engine::stats() const {
  return impl_->store->stats();
}
Result<store::BackupResult> Engine::backup(std::filesystem::path const& directory, schema::Interrupt const& interrupt,
                                           store::Advance const& advance) const {
  auto made = impl_->store->backup(directory, interrupt, advance);
  if (!made) return made;
  note_backup(made->tx, directory.string());
  return made;
}

std::optional<std::int64_t> Engine::last_backup_s() const {
  auto const last = store::find_last_backup(impl_->config.directory);
  return last ? std::optional{last->at.seconds} : std::nullopt;
}
std::vector<OlderBackup> Engine::older_backups(std::vector<std::string> const& of) const {
  std::vector<LookedAt> found;
  std::vector<OlderBackup> older;
  auto const known = impl_->graph.snapshot();
  try {
    if (store::is_list_torn(impl_->config.directory) && impl_->config.on_trouble)
      impl_->config.on_trouble("the list of backups of the store ends within a line: one backup may be missing in it");
    for (auto const& noted : store::find_backups(impl_->config.directory))
      for (auto& each : look_at_backup(noted, impl_->store->epoch())) found.push_back(std::move(each));
  } catch (std::system_error const& failed) {
    if (impl_->config.on_trouble)
      impl_->config.on_trouble(std::string("which backups were made cannot be read: ") + failed.what());
  }
  if (found.empty()) return older;
  auto const oldest = std::ranges::min_element(found, {}, [](LookedAt const& each) { return each.ends.front(); });
  auto const nodes = find_purged(known, *impl_->store, of, oldest->ends.front());
  for (auto& each : found) {
    each.backup.counts = counts_in(each, known, nodes);
    if (!each.backup.counts.empty()) older.push_back(std::move(each.backup));
  }
  return older;
}
Result<LogPiece> Engine::read_log(TxId after, std::size_t bytes_enough) const {
  auto const& store = *impl_->store;
  auto const end = store.log_end();
  if (!end) return end.error();
  if (after > end->tx) {
    return Error{Errc::conflict, "the log ends with transaction " + std::to_string(schema::number(end->tx)) +
                                     ", before " + std::to_string(schema::number(after))};
  }
  auto const leaf = store.leaf_hash(after);
  if (!leaf) return leaf.error();
  LogPiece piece{.epoch = store.epoch(), .head = end->tx, .leaf = *leaf, .last = after};
  if (bytes_enough == 0) return piece;
  bool is_cut = false;
  auto const read = store.read_groups(after, end->tx, [&](store::SentGroup const& group) -> Result<bool> {
    std::uint64_t const length = group.message.size();
    for (unsigned i = 0; i < sizeof length; ++i) piece.groups += static_cast<char>(length >> (8 * i));
    piece.groups.append(reinterpret_cast<char const*>(group.message.data()), group.message.size());
    piece.last = group.tx;
    is_cut = piece.groups.size() >= bytes_enough;
    return !is_cut;
  });
  if (!read) return read.error();
  if (piece.last > end->tx) piece.head = piece.last;
  if (!is_cut) return piece;
  auto const now = store.log_end();  // so that `last` is the head only where it was when it was read
  if (!now) return now.error();
  piece.head = now->tx;
  return piece;
}
void Engine::note_backup(TxId tx, std::string const& place) const {
  try {
    store::keep_last_backup(impl_->config.directory, {.at = impl_->clock.now(), .tx = tx, .path = place});
  } catch (std::system_error const& failed) {  // the backup is made all the same
    if (impl_->config.on_trouble)
      impl_->config.on_trouble("the store does not know of the backup " + place + ": " + failed.what());
  }
}
Result<store::VerifyReport> Engine::verify(schema::Interrupt const& interrupt, store::Advance const& advance) const {
  return store::verify(impl_->config.directory, true, interrupt, advance);
}
Result<store::CheckpointFigures> Engine::make_checkpoint() {
  return impl_->checkpoints.make();
}
void Engine::keep_checkpoints(CheckpointReport report) {
  impl_->checkpoints.keep(std::move(report));
}
void Engine::finish_checkpoints(CheckpointReport const& report) {
  impl_->checkpoints.finish(report);
  if (impl_->config.keeps_columns) impl_->columns.finish();
}
CheckpointCounts Engine::checkpoints() const {
  auto counts = impl_->checkpoints.counts();
  counts.columns_made = impl_->columns.made();
  counts.columns_failed = impl_->columns.failed();
  if (counts.tx != TxId{0}) {
    auto const file = impl_->config.directory / store::file_name_of(store::CheckpointOf::graph);
    counts.written_at_s = store::find_written_at_s(file);
  }
  return counts;
}
graph::MemoryUse Engine::memory() const {
  return impl_->graph.memory();
}
EngineMetrics Engine::metrics() const {
  auto metrics = impl_->metrics.read();
  auto const waiting = impl_->inbox.load();
  metrics.inbox_batches = waiting.batches;
  metrics.inbox_bytes = waiting.bytes;
  return metrics;
}
std::optional<store::SharedLogFigures> Engine::shared_log() const {
  return impl_->log ? std::optional{impl_->log->figures()} : std::nullopt;
}
store::SharedLogPicture Engine::shared_log_picture() const {
  return impl_->log ? impl_->log->picture() : store::SharedLogPicture{};
}
void Engine::introduce(store::Introduction introduction) {
  if (impl_->log) impl_->log->introduce(std::move(introduction));
}
void Engine::announce_tree(schema::proof::TreeHead const& tree) {
  if (impl_->log) impl_->log->announce_tree(tree);
}
std::optional<std::string> Engine::failure() const {
  return impl_->failure.read();
}
std::optional<store::NoRoom> Engine::no_room() const {
  return impl_->room.read();
}
std::optional<store::NoRoom> Engine::find_no_room() const {
  auto const why = impl_->room.read();
  auto const file = impl_->config.directory / "data.mdb";
  bool const is_map = why == store::NoRoom::file_size &&
                      store::why_no_room(file, store::growth_bytes) == store::NoRoom::disk;  // no other limit is met
  return why && !is_map && store::may_grow(file, store::growth_bytes) ? std::nullopt : why;
}
void Engine::on_room(RoomReport report) {
  impl_->room.on_change(std::move(report));
}
void Engine::on_failure(FailureReport report) {
  impl_->report_failure = std::move(report);
}
void Engine::on_published(Announce announce) {
  std::scoped_lock const lock{impl_->followers_mutex};
  impl_->followers.push_back(std::move(announce));
}

}  // namespace whence::engine
