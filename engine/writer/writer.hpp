#pragma once
// What the writer thread does with a group of batches: validate each, append it to the graph and the store, make the
// group durable, publish it, announce it, answer.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/restore/restored_plan.hpp"
#include "engine/restore/restored_records.hpp"
#include "engine/state/contents.hpp"
#include "engine/state/indexes.hpp"
#include "engine/validation/context.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/commit_metrics.hpp"
#include "engine/values/config.hpp"
#include "engine/values/helper.hpp"
#include "engine/values/id_source.hpp"
#include "engine/values/write_answer.hpp"
#include "engine/writer/failure.hpp"
#include "engine/writer/room.hpp"
#include "graph/embeddings/vectors.hpp"
#include "graph/graph.hpp"
#include "schema/base/time.hpp"
#include "store/log/store.hpp"
#include "store/replicated/shared_log.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

struct Received;  // replication.cpp
struct Flight;    // replication.cpp

/// Requests that wait for the writer; empty where none do.
using MoreRequests = std::function<std::vector<Request>()>;

/// The parts of the engine that a writer uses. All of them outlive it.
struct WriterParts {
  EngineConfig const& config;
  schema::Clock const& clock;
  IdSource& ids;
  Helper& helper;
  store::Store& store;
  graph::Graph& graph;
  graph::Vectors& vectors;
  CommitMetrics& metrics;
  Failure& failure;
  Room& room;
  store::SharedLog* log = nullptr;  ///< of the nodes that write the same graph; null: this store alone is the log
  std::optional<std::string> absent_log =
      {};  ///< the log that the store belongs to where `log` is null: nothing may be written
};

/// Belongs to one thread.
///
/// Invariants: 1. between groups the graph has no transaction above its watermark and the store no open group. 2. every
/// answer of a group, a refusal too, is given after the group is durable, since it may rest on what the group wrote.
/// 3. once the environment has failed (an I/O error of the store) nothing is written any more. 4. with a replicated log
/// a group is made durable here after it is in the log, and validated against all that is in the log before it.
class Writer {
 public:
  explicit Writer(WriterParts const& parts)
      : config_(parts.config),
        clock_(parts.clock),
        ids_(parts.ids),
        helper_(parts.helper),
        store_(parts.store),
        graph_(parts.graph),
        vectors_(parts.vectors),
        metrics_(parts.metrics),
        failure_(parts.failure),
        room_(parts.room),
        log_(parts.log),
        absent_log_(parts.absent_log) {}

  /// Takes what the replicated log holds after the store's head, before anybody reads or writes. A log without any
  /// group is founded. Fails with `conflict` where the log is another one, `resume_impossible` where the store's place
  /// in it is gone, `busy` where the log does not answer and the store is empty: it knows nothing to serve.
  [[nodiscard]] Result<void> join();

  /// Answers every request of `waiting` in order, and those of `more` that went into the log with them. Calls `report`
  /// with the failure of the environment that ends writing, once, before the requests that met it are answered. Where
  /// nothing waits, takes what other nodes wrote.
  void process(std::vector<Request> waiting, MoreRequests const& more, Announce const& announce,
               FailureReport const& report = {});

 private:
  using Answer = Result<WriteAnswer>;

  struct Calls {
    MoreRequests const& more;
    Announce const& announce;
    FailureReport const& report;
  };
  void process_together(std::vector<Request> group, std::vector<Request>& waiting, Calls const& calls);
  /// If the group could not be made durable, none of its answers is valid.
  [[nodiscard]] static std::vector<Answer> all_failed(std::size_t count, Error const& error);
  std::vector<Answer> end_writing(std::size_t count, std::string const& why, FailureReport const& report);
  std::vector<Answer> refuse_for_memory(std::size_t count);
  [[nodiscard]] static Error no_memory_now();
  std::vector<Answer> write(std::vector<Request>& group, Announce const& announce);
  std::vector<Answer> append_all(std::vector<Request>& group);
  [[nodiscard]] Result<void> make_durable(Announce const& announce);
  Answer write(Request& request);
  Answer validate_and_append(Request& request);
  [[nodiscard]] Result<void> append_deletes(WriteBatch const& batch);
  Answer restore(WriteBatch const& batch, History const& history);
  /// The discussions whose files it leaves behind.
  Result<std::vector<DiscussionIds>> restore(WriteBatch const& batch, RestoredTransaction const& transaction,
                                             History const& history, RestoredRecords& records, RemovedBefore& removed);
  Result<Plan> validate_any(Request& request);
  Result<Plan> plan_removal(ContentRemoval const& removal, graph::Snapshot const& known);
  Result<Plan> remove(ContentRemoval const& removal, Request& request, std::string const& proposed_by);
  Result<Plan> propose(ContentRemoval const& removal, Request& request);
  Result<Plan> confirm(PurgeConfirming const& confirming, Request& request);
  Result<Plan> with_erasure(Plan plan, Request& request, std::string const& proposed_by);
  [[nodiscard]] ValidationContext context(WriteBatch const& batch);
  void keep_unchanged(std::string const& key, schema::Digest const& fingerprint, Plan const& plan);
  schema::stored::KeptAnswer append(WriteBatch const& batch, std::optional<schema::Digest> const& fingerprint,
                                    Plan plan);
  store::Commit append_to_graph(Plan& plan, schema::Time at, std::vector<schema::VertexId> const* deprecated);
  void append_to_store(store::Commit commit, Plan& plan);
  [[nodiscard]] Result<void> commit();
  void forget_group();
  void append_vectors(Plan const& plan, TxId tx);
  [[nodiscard]] std::string_view model_of(schema::RetrievedChunk const& chunk) const;
  [[nodiscard]] Result<void> check_embeddings(Plan const& plan) const;
  void remember(Plan& plan);

  // With a replicated log: replication.cpp.
  std::vector<Answer> write_replicated(std::vector<Request>& group, std::vector<Request>& waiting, Calls const& calls);
  std::vector<Flight> send_groups(std::vector<Request>& group, std::size_t begin, std::vector<Request>& waiting,
                                  MoreRequests const& more);
  [[nodiscard]] Result<void> land(std::vector<Flight>& flights, std::vector<Answer>& answers, Announce const& announce);
  void append_flight(Flight& flight, std::span<Request const> requests);
  [[nodiscard]] Result<void> follow_to_end();
  [[nodiscard]] Result<void> found_log();
  [[nodiscard]] Result<bool> is_state_of_log(bool needs_quorum);
  [[nodiscard]] Result<void> catch_up(std::chrono::milliseconds wait, Announce const& announce);
  [[nodiscard]] Result<void> take_held(Announce const& announce);
  void receive(std::span<std::byte const> message, Received& received);
  void append_received_vectors(std::span<store::ReceivedContent const> contents, TxId tx);
  [[nodiscard]] Result<void> remember_received(Received const& received);

  [[nodiscard]] TxId head() const { return graph_.pending().tx(); }
  [[nodiscard]] schema::Time commit_time() const;

  EngineConfig const& config_;
  schema::Clock const& clock_;
  IdSource& ids_;
  Helper& helper_;
  schema::Time at_ = {};  // of the transaction that is being made
  store::Store& store_;
  graph::Graph& graph_;
  graph::Vectors& vectors_;
  CommitMetrics& metrics_;
  Failure& failure_;  // of the environment; ends writing
  Room& room_;
  Memory memory_;
  Indexes indexes_;
  bool is_committing_ = false;  // what is in the group may be on disk
  bool has_appended_ = false;   // the open group has something that `commit` makes durable
  FlagCounts flags_;            // of the open group
  store::SharedLog* log_;
  std::optional<std::string> const absent_log_;
  bool is_joining_ = false;                   // there are no readers yet: an empty store may become one of the log
  std::vector<std::vector<std::byte>> held_;  // groups of the log that are not durable here yet
};

}  // namespace whence::engine
