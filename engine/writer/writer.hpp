#pragma once
// What the writer thread does with a group of batches: judge each, append it to the graph and the store, make the group
// durable, publish it, announce it, answer.

#include "engine/batch.hpp"
#include "engine/commit_metrics.hpp"
#include "engine/config.hpp"
#include "engine/extraction/topic_index.hpp"
#include "engine/id_source.hpp"
#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/restore/restored_plan.hpp"
#include "engine/restore/restored_records.hpp"
#include "engine/state/contents.hpp"
#include "engine/validation/context.hpp"
#include "engine/write_answer.hpp"
#include "graph/embeddings/vectors.hpp"
#include "graph/graph.hpp"
#include "schema/base/time.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// What the writer works on; all of it outlives the writer.
struct Workshop {
  EngineConfig const& config;
  schema::Clock const& clock;
  IdSource& ids;
  store::Store& store;
  graph::Graph& graph;
  graph::Vectors& vectors;
  CommitMetrics& metrics;
};

/// Belongs to one thread.
///
/// Invariants: 1. between groups the graph has no transaction above its watermark and the store no open group. 2. every
/// answer of a group, a refusal too, is given after the group is durable, since it may rest on what the group wrote.
/// 3. once the environment has failed (an I/O error of the store) nothing is written any more.
class Writer {
 public:
  explicit Writer(Workshop const& shop) : shop_(shop) {}

  /// Answers every request of `group` in order.
  void process(std::vector<Request> group, Announce const& announce);

 private:
  using Answer = Result<WriteAnswer>;

  void process_together(std::vector<Request> group, Announce const& announce);
  std::vector<Answer> write(std::vector<Request>& group, Announce const& announce);
  Answer write(Request& request);
  Answer validate_and_append(Request& request);
  Answer restore(WriteBatch const& batch, History const& history);
  Result<void> restore(WriteBatch const& batch, PastTransaction const& past, History const& history,
                       PastReader& records);
  Result<Plan> validate_any(Request& request);
  [[nodiscard]] ValidationContext context();
  void keep_unchanged(std::string const& key, schema::Digest const& fingerprint, Plan const& plan);
  schema::stored::KeptAnswer append(WriteBatch const& batch, std::optional<schema::Digest> const& fingerprint,
                                    Plan plan);
  store::Commit append_to_graph(Plan& plan, schema::Time at, std::vector<schema::VertexId> const* deprecated);
  void append_to_store(store::Commit commit, Plan& plan);
  [[nodiscard]] Result<void> commit();
  void forget_group();
  void append_vectors(Plan const& plan, TxId tx);
  void remember(Plan& plan);
  [[nodiscard]] TxId head() const { return shop_.graph.pending().tx(); }
  [[nodiscard]] schema::Time commit_time() const;

  Workshop const shop_;
  Memory memory_;
  TopicIndex topics_;
  bool has_appended_ = false;               // something of this group waits for `commit`
  std::optional<std::string> broken_ = {};  // what failed, once the environment has
};

}  // namespace whence::engine
