#pragma once
// The one place where things change: validate, log, apply, publish, announce.

#include "engine/config.hpp"
#include "engine/history.hpp"
#include "graph/snapshot/delta.hpp"
#include "graph/graph.hpp"
#include "graph/embeddings/vectors.hpp"
#include "schema/records/check.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/ref.hpp"
#include "store/files/paired_files.hpp"
#include "store/store.hpp"
#include "store/verify/verify.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace whence::engine {

using schema::TxId;

/// Makes the ids a client leaves out. Called by the writer thread only.
class IdSource {
 public:
  virtual ~IdSource() = default;
  /// A fresh UUID v4 in lower-case text.
  [[nodiscard]] virtual std::string uuid() = 0;
};

/// Random UUIDs from the operating system's entropy.
class RandomIds final : public IdSource {
 public:
  [[nodiscard]] std::string uuid() override;
};

/// Opens the next round of a discussion, which is made where it is missing.
struct RoundOpening {
  schema::Discussion discussion = {};             ///< its ids, and its topic where one is given
  std::optional<std::int64_t> round_number = {};  ///< must be the next, where given
};

/// The next response of the round that is open.
struct RoundResponse {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  schema::Persona persona = schema::Persona::analyzer;
  schema::ConversationMessage message = {};
};

/// The text that a model made for a request: its citations are read and checked, its confidence computed.
struct AnswerText {
  std::string request_id = {};
  std::optional<std::string> answer = {};  ///< nothing: nothing was found
  std::optional<std::string> message = {};
  std::string system_prompt = {};  ///< of the prompt's record, where that has to be made
  std::int64_t processing_time_ms = 0;
};

/// A retrieval as it was answered, to be recorded under a request id that the server makes.
struct RetrievalRecording {
  schema::Query query = {};
  schema::EmbeddingVector embedding = {};
  std::vector<schema::RetrievedChunk> chunks = {};
};

/// Makes a discussion say what its file says: what differs is replaced, what the file lacks goes, what is new comes.
/// An open round stays where it follows the last of the file.
struct DiscussionRestoring {
  schema::DiscussionState state = {};   ///< complete rounds only
  schema::DiscussionState before = {};  ///< what was compared with the file, all of it: must still be so
};

/// A write that depends on what is there, so that its records are made by the writer, or one of the past. At most one
/// is set.
using Step = std::variant<std::monostate, RoundOpening, RoundResponse, AnswerText, RetrievalRecording,
                          DiscussionRestoring, History>;

/// One write request: records to write, nodes to delete, or a step.
struct WriteBatch {
  std::vector<schema::IncomingRecord> records = {};
  std::vector<schema::NodeRef> deletes = {};  ///< nodes to delete, instead of records
  Step step = {};                             ///< instead of records
  bool ensure = false;                        ///< make the Topics and Messages that are named and missing
  /// A copy of what was recorded elsewhere: keywords, subjects and summaries are those of the batch, as it gives them.
  /// Of its attachments only the edges to them are drawn.
  bool keeps_derived = false;
  std::string idempotency_key = {};  ///< empty: none
  std::optional<TxId> expect_tx = {};
  bool dry_run = false;
  std::string actor = {};  ///< who writes, for the log
  std::size_t bytes = 0;   ///< about what it weighs in memory
};

/// What a deletion did, as refs.
struct Removal {
  std::vector<std::string> deleted = {};   ///< what was named, then what goes with it
  std::vector<std::string> orphaned = {};  ///< attachments whose topic is gone
  std::vector<std::string> dangling = {};  ///< keywords, subjects and summaries that lost an attachment
};

struct WriteAnswer {
  TxId tx;
  std::vector<std::string> refs;                 ///< one per record, in order
  std::vector<whence::Violation> warnings = {};  ///< `code` is meaningless
  bool is_unchanged = false;
  Removal removal = {};                     ///< of a batch that deletes
  std::optional<schema::Record> made = {};  ///< of a step: the discussion, round, answer or query as it is stored now
};

/// Told after every published group, on the writer thread: `head` is visible now. Must not block, must not throw.
using Announce = std::function<void(TxId head)>;
/// Must not block, must not throw.
using WriteDone = std::function<void(Result<WriteAnswer>)>;

/// Upper bounds in seconds of the histogram of commits; one more bucket holds what took longer.
inline constexpr std::array<double, 12> commit_bucket_bounds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                                                0.05,   0.1,   0.2,   0.5,   1,    5};

struct EngineMetrics {
  std::uint64_t commits = 0;                               ///< groups made durable
  double commit_seconds_sum = 0;                           ///< spent in making groups durable
  std::vector<std::uint64_t> commit_seconds_buckets = {};  ///< cumulative, one per bound and one for all
};

/// The engine of one store. Every member may be called from any thread. `submit` never blocks.
///
/// Order, always: durable, then visible, then announced; a batch's `done` is called after it is visible.
class Engine {
 public:
  /// Opens the store and the folder of files, replays the store, starts the writer thread. Errors as
  /// `store::Store::open` and `store::PairedFiles::open`. `clock` and `ids` outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> open(EngineConfig const& config, schema::Clock const& clock,
                                                            IdSource& ids);
  /// Finishes what is in the inbox, then stops the writer.
  ~Engine();

  /// Hands a batch to the writer. `done` is called exactly once: on the writer thread with the answer, or before
  /// `submit` returns with `busy` where the inbox is full. A refused batch answers all that is wrong with it;
  /// `storage_full` leaves the engine usable; once the environment has failed every write answers `internal_error`.
  void submit(WriteBatch batch, WriteDone done);

  /// `submit` and wait. For tools and tests.
  [[nodiscard]] Result<WriteAnswer> write(WriteBatch batch);

  [[nodiscard]] graph::Snapshot snapshot() const;
  /// What the transactions from `first` on changed, in order, up to that of `head`; calls `visit` with each until it
  /// returns false. From the log, so it works for any past transaction and holds nothing in memory. A read transaction
  /// of the store is open meanwhile: stop after a slice; `visit` may read records. Fails with `corrupt`.
  [[nodiscard]] Result<void> read_deltas(TxId first, graph::Snapshot const& head,
                                         std::function<bool(graph::Delta&&)> const& visit) const;
  [[nodiscard]] schema::RecordReader const& records() const;
  /// As `store::Store::forget_touched_pages`.
  void forget_touched_pages() const noexcept;
  /// The embeddings of chunks.
  [[nodiscard]] graph::Vectors const& vectors() const;
  /// The files of discussions; null where no folder is configured.
  [[nodiscard]] store::PairedFiles* files() const;
  [[nodiscard]] EngineConfig const& config() const;
  [[nodiscard]] std::filesystem::path const& directory() const;
  /// Opaque; changes when the log is replaced.
  [[nodiscard]] std::string epoch() const;
  [[nodiscard]] store::StoreStats stats() const;
  /// As `store::Store::backup`, while writes go on.
  [[nodiscard]] Result<store::Store::BackupResult> backup(std::filesystem::path const& directory) const;
  /// As `store::verify`, of the state on disk when it starts: it trusts nothing of this process. Takes long; blocks the
  /// caller.
  [[nodiscard]] Result<store::VerifyReport> verify() const;
  [[nodiscard]] graph::MemoryUse memory() const;
  [[nodiscard]] EngineMetrics metrics() const;

  /// Sets who is told of new transactions; before the first `submit`.
  void on_published(Announce announce);

 private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::engine
