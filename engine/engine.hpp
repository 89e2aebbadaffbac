#pragma once
// The one place where things change: validate, log, apply, publish, announce.

#include "engine/checkpoint/checkpoint_figures.hpp"
#include "engine/search/search_figures.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/commit_metrics.hpp"
#include "engine/values/config.hpp"
#include "engine/values/id_source.hpp"
#include "engine/values/log_piece.hpp"
#include "engine/values/write_answer.hpp"
#include "engine/values/written_content.hpp"
#include "engine/writer/room.hpp"
#include "graph/columns/field_columns.hpp"
#include "graph/embeddings/vectors.hpp"
#include "graph/graph.hpp"
#include "graph/snapshot/delta.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/search/text_index.hpp"
#include "schema/stored/sealed.hpp"
#include "schema/types/author.hpp"
#include "store/files/paired_files.hpp"
#include "store/replicated/shared_log.hpp"
#include "store/values/advance.hpp"
#include "store/values/figures.hpp"
#include "store/verify/report.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// The engine of one store. Every member may be called from any thread. `submit` never blocks.
///
/// Order, always: durable, then visible, then announced; a batch's `done` is called after it is visible.
class Engine {
 public:
  /// Opens the store and the folder of files, makes the graph of the checkpoint and the log after it, starts the writer
  /// thread. Errors as `store::Store::open` and `store::PairedFiles::open`. `clock` and `ids` outlive it.
  ///
  /// With a replicated `log` the engine is one of several nodes that write the same graph. It takes what the log holds
  /// before it returns; an answer then says that the write is in the log and durable here. Fails also as
  /// `Writer::join`. The store belongs to the log from then on: opened without it, it refuses writes with `conflict`.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> open(EngineConfig const& config, schema::Clock const& clock,
                                                            IdSource& ids,
                                                            std::unique_ptr<store::SharedLog> log = nullptr);
  /// Finishes what is in the inbox, then stops the writer.
  ~Engine();

  /// Hands a batch to the writer. `done` is called exactly once: on the writer thread with the answer, or before
  /// `submit` returns with `busy` where the inbox is full. A refused batch gets all its violations;
  /// `storage_full` leaves the engine usable; once the environment has failed every write answers `internal_error`.
  void submit(WriteBatch batch, WriteDone done);

  /// The first step of `submit`, on a thread of the caller's choice. O(size of the batch).
  [[nodiscard]] PreparedBatch prepare(WriteBatch batch) const;
  /// The second, in the name of `author` and `peer` (engine/values/batch.hpp). `prepared` is used up.
  void submit(PreparedBatch const& prepared, schema::Author author, std::uint64_t peer, WriteDone done);

  /// What `check` needs to know for records of a batch of `mode`; nothing: of the configured one.
  [[nodiscard]] schema::CheckContext check_context(std::optional<schema::Mode> mode) const;
  /// The part of `prepare` that looks at one record: names a unit without an id, takes what capture mode takes, checks
  /// the fields. What is wrong is added to the record's violations. For callers that decode record by record
  /// (`WriteBatch::has_checked_fields`). O(size of the record).
  static void check(schema::IncomingRecord& incoming, schema::CheckContext const& context);

  /// `submit` and wait. For tools and tests.
  [[nodiscard]] Result<WriteAnswer> write(WriteBatch batch);

  [[nodiscard]] graph::Snapshot snapshot() const;
  /// Calls `visit` with the changes of each transaction from `first` to that of `head`, in order, until it returns
  /// false. Reads the log, so it works for any past transaction and holds nothing in memory. A read transaction of the
  /// store is open meanwhile: stop after a slice; `visit` may read records. Fails with `corrupt`.
  [[nodiscard]] Result<void> read_deltas(TxId first, graph::Snapshot const& head,
                                         std::function<bool(graph::Delta&&)> const& visit) const;
  /// The contents that transaction `tx` wrote: those of new vertices, then revisions. `not_found` above the head.
  [[nodiscard]] Result<std::vector<WrittenContent>> contents_of(TxId tx) const;
  /// As `store::Store::open_content`.
  [[nodiscard]] Result<std::optional<schema::stored::Opening>> open_content(WrittenContent const& written) const;
  /// As `store::Store::leaf_hash`.
  [[nodiscard]] Result<schema::Digest> entry_hash(TxId tx) const;
  [[nodiscard]] schema::RecordReader const& records() const;
  /// Who wrote which transaction.
  [[nodiscard]] schema::AuthorReader const& authors() const;
  /// As `store::Store::forget_touched_pages`.
  void forget_touched_pages() const noexcept;
  /// The embeddings of chunks.
  [[nodiscard]] graph::Vectors const& vectors() const;
  /// The columns of indexed fields; null where none are kept (`EngineConfig::keeps_columns`).
  [[nodiscard]] graph::FieldColumns const* columns() const;
  /// The words of all texts; null where they are not searched.
  [[nodiscard]] schema::TextIndex const* texts() const;
  /// How the index of texts follows; nothing where there is none.
  [[nodiscard]] std::optional<SearchFigures> search() const;
  /// The files of discussions; null where no folder is configured.
  [[nodiscard]] store::PairedFiles* files() const;
  [[nodiscard]] EngineConfig const& config() const;
  [[nodiscard]] std::filesystem::path const& directory() const;
  /// Opaque; changes when the log is replaced.
  [[nodiscard]] std::string epoch() const;
  [[nodiscard]] store::StoreStats stats() const;
  /// As `store::Store::backup`, while writes go on. It is noted as the last backup.
  [[nodiscard]] Result<store::BackupResult> backup(std::filesystem::path const& directory,
                                                   schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                                   store::Advance const& advance = {}) const;
  /// When the last backup of this store was complete, in seconds since 1970, as its directory says; nothing where there
  /// was none.
  [[nodiscard]] std::optional<std::int64_t> last_backup_s() const;
  /// The backups of this store that still have contents of the records `of`, the oldest first: those that were noted,
  /// and of a directory of sets each. What they have follows from the log and not from their bytes: those made before
  /// it was purged, where it was. Reads their manifests: on a thread that may wait. O(backups times `of`, and the log
  /// back to the oldest of them at most).
  [[nodiscard]] std::vector<OlderBackup> older_backups(std::vector<std::string> const& of) const;
  /// The transactions after `after`, as many as have `bytes_enough` and at least one if there is one; none for 0. On
  /// any thread. Fails with `conflict` where the log ends before `after`. O(piece).
  [[nodiscard]] Result<LogPiece> read_log(TxId after, std::size_t bytes_enough) const;
  /// Notes in the store's directory that everything up to `tx` is backed up at `place` (`store::find_last_backup`).
  /// Where it cannot, `on_trouble` is told.
  void note_backup(TxId tx, std::string const& place) const;
  /// As `store::verify`, of the state on disk when it starts: it trusts nothing of this process. Takes long; blocks the
  /// caller.
  [[nodiscard]] Result<store::VerifyReport> verify(schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                                   store::Advance const& advance = {}) const;
  /// Makes a checkpoint, from which the next start goes on, while writes go on. O(graph), blocks the caller. Fails with
  /// `not_found` where nothing was ever written, `storage_full`; throws std::system_error.
  [[nodiscard]] Result<store::CheckpointFigures> make_checkpoint();
  /// From now on makes one on a thread of its own whenever the graph has grown by `EngineConfig::checkpoint_edges` and
  /// by an eighth, and calls `report` there. Once.
  void keep_checkpoints(CheckpointReport report);
  /// Ends that, if it was begun; makes a last one where the log has so much after the one on disk that a start would
  /// take noticeably longer, and calls `report`. Blocks the caller.
  void finish_checkpoints(CheckpointReport const& report);
  [[nodiscard]] CheckpointCounts checkpoints() const;
  [[nodiscard]] graph::MemoryUse memory() const;
  [[nodiscard]] EngineMetrics metrics() const;

  /// How far this node is in the replicated log; nothing without one.
  [[nodiscard]] std::optional<store::SharedLogFigures> shared_log() const;
  /// Who keeps that log and who writes it, as far as is known; empty without one.
  [[nodiscard]] store::SharedLogPicture shared_log_picture() const;
  /// Says to the other nodes, if there are any, what to know of this one.
  void introduce(store::Introduction introduction);
  /// Tells them the newest checkpoint that this node has signed.
  void announce_tree(schema::proof::TreeHead const& tree);

  /// The failure of the environment (an I/O error, no memory) after which nothing is written any more; nothing while
  /// the engine writes. It stays until the store is opened again. A full disk is none: `storage_full` refuses a write.
  [[nodiscard]] std::optional<std::string> failure() const;

  /// Why the last write was refused for want of room, until one goes through; nothing else stops.
  [[nodiscard]] std::optional<store::NoRoom> no_room() const;
  /// The same, where there is no room now either: for those that send no writes while there is none.
  [[nodiscard]] std::optional<store::NoRoom> find_no_room() const;

  /// Sets what is called when `no_room` changes; before the first `submit`.
  void on_room(RoomReport report);
  /// Sets what is called on the writer thread, once, when writing has ended by a failure; before the first `submit`.
  void on_failure(FailureReport report);
  /// Adds to what is called for new transactions, in the order in which it was added. Any thread.
  void on_published(Announce announce);

 private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::engine
