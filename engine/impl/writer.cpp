#include "engine/impl/writer.hpp"

#include "engine/impl/apply.hpp"
#include "engine/impl/judge.hpp"
#include "engine/impl/steps.hpp"
#include "schema/report.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace whence::engine {
namespace {

using schema::stored::ChangeKind;
using schema::stored::KeptAnswer;

Error other_batch(std::string const& key) {
  return error_from(Violation{.code = Errc::conflict,
                              .rule = "idempotency_key",
                              .path = "/idempotency_key",
                              .seen = schema::shown(key),
                              .message = "this key was used for another batch"});
}

WriteAnswer answer_of(KeptAnswer const& kept) {
  return {.tx = kept.tx, .refs = kept.refs, .warnings = kept.warnings, .is_unchanged = kept.is_unchanged};
}

Error unexpected_head(TxId expected, TxId head) {
  auto error = error_from(Violation{.code = Errc::precondition,
                                    .rule = "expect_tx",
                                    .path = "/expect_tx",
                                    .seen = schema::shown(schema::number(expected)),
                                    .message = "the head is " + std::to_string(schema::number(head))});
  error.tx = schema::number(head);
  return error;
}

/// Where one part of the group failed to become durable, no answer of the group holds.
std::vector<Result<WriteAnswer>> all_failed(std::size_t count, Error const& error) {
  return std::vector<Result<WriteAnswer>>(count, Result<WriteAnswer>(error));
}

/// A revision that brings an edge and leaves what its record says as it was: nothing worth remembering.
bool is_mere_retrieval(PlannedRevision const& revision) {
  auto const* chunk = std::get_if<schema::RetrievedChunk>(&revision.content);
  return chunk != nullptr && !chunk->embedding;
}

}  // namespace

void Writer::process(std::vector<Request> group, Announce const& announce) {
  std::vector<Answer> answers;
  try {
    answers = broken_ ? all_failed(group.size(), {.code = Errc::internal_error, .message = *broken_})
                      : write(group, announce);
  } catch (std::exception const& failure) {
    broken_ = std::string("nothing is written any more after a failure: ") + failure.what();
    forget_group();
    answers = all_failed(group.size(), {.code = Errc::internal_error, .message = *broken_});
  }
  for (std::size_t i = 0; i < group.size(); ++i) group[i].done(std::move(answers[i]));
}

std::vector<Result<WriteAnswer>> Writer::write(std::vector<Request>& group, Announce const& announce) {
  memory_.open(head(), schema::VertexId{shop_.graph.pending().vertex_count()});
  std::vector<Answer> answers;
  answers.reserve(group.size());
  for (auto& request : group) answers.push_back(write(request));
  if (!has_appended_) return answers;
  if (auto const committed = commit(); !committed) {
    forget_group();
    return all_failed(group.size(), committed.error());
  }
  shop_.vectors.publish();  // before the graph: a snapshot finds the embeddings of its transactions
  shop_.graph.publish();
  memory_.settle();
  has_appended_ = false;
  if (announce) announce(head());
  return answers;
}

Result<WriteAnswer> Writer::write(Request& request) {
  auto const& batch = request.batch;
  if (auto const& fingerprint = request.fingerprint) {
    auto const kept = shop_.store.find_kept_answer(batch.idempotency_key);
    if (!kept) return kept.error();
    if (*kept && (*kept)->batch != *fingerprint) return other_batch(batch.idempotency_key);
    if (*kept) return answer_of(**kept);
  }
  if (batch.expect_tx && *batch.expect_tx != head()) return unexpected_head(*batch.expect_tx, head());
  return judge_and_append(request);
}

Result<WriteAnswer> Writer::judge_and_append(Request& request) {
  auto const& batch = request.batch;
  auto plan = judge_any(request);
  if (!plan) return plan.error();
  if (plan->is_empty() || batch.dry_run) {
    if (request.fingerprint && !batch.dry_run) keep_unchanged(batch.idempotency_key, *request.fingerprint, *plan);
    return WriteAnswer{.tx = head(),
                       .refs = std::move(plan->refs),
                       .warnings = std::move(plan->warnings),
                       .is_unchanged = plan->is_empty(),
                       .removal = std::move(plan->removal),
                       .made = std::move(plan->made)};
  }
  auto removal = std::move(plan->removal);
  auto made = std::move(plan->made);
  auto answer = append(batch, request.fingerprint, std::move(*plan));
  return WriteAnswer{.tx = answer.tx,
                     .refs = std::move(answer.refs),
                     .warnings = std::move(answer.warnings),
                     .removal = std::move(removal),
                     .made = std::move(made)};
}

/// Judges records, a deletion, or a step, by what the batch holds.
Result<Plan> Writer::judge_any(Request& request) {
  auto const& batch = request.batch;
  if (!batch.deletes.empty()) return judge_removal(batch.deletes, shop_.graph.pending());
  Bench const bench{.known = shop_.graph.pending(),
                    .store = shop_.store,
                    .memory = memory_,
                    .topics = topics_,
                    .ids = shop_.ids,
                    .config = shop_.config,
                    .now = shop_.clock.now()};
  bool const is_step = !std::holds_alternative<std::monostate>(batch.step);
  return is_step ? judge_step(request, bench) : judge(request, bench);
}

/// Binds the key of a batch that changed nothing: a repeat answers the same, whatever the head is by then.
void Writer::keep_unchanged(std::string const& key, schema::Digest const& fingerprint, Plan const& plan) {
  shop_.store.keep_answer(
      key, {.batch = fingerprint, .tx = head(), .refs = plan.refs, .warnings = plan.warnings, .is_unchanged = true});
  has_appended_ = true;
}

/// Gives the plan its transaction in the graph and in the store's open group.
KeptAnswer Writer::append(WriteBatch const& batch, std::optional<schema::Digest> const& fingerprint, Plan plan) {
  auto const tx = schema::next(head());
  store::Commit commit;
  commit.entry.tx = tx;
  commit.entry.at = commit_time();
  commit.entry.actor = batch.actor;
  has_appended_ = true;
  std::vector<store::RevisionRow> revisions;
  for (auto const& revision : plan.revisions) revisions.push_back(revision.row);
  auto const deprecated = apply(
      shop_.graph, {.tx = tx, .at = commit.entry.at, .rows = plan.rows, .revisions = revisions, .hidden = plan.hidden},
      shop_.config.deprecate_below);
  auto& changes = commit.entry.changes;
  changes.reserve(plan.rows.size() + revisions.size() + plan.hidden.size() + deprecated.size());
  commit.contents.reserve(plan.rows.size() + revisions.size());
  for (auto const& row : plan.rows) changes.push_back({row.vertex, ChangeKind::put, {}});
  for (auto const& revision : revisions) changes.push_back({revision.vertex, ChangeKind::revise, {}});
  for (auto const vertex : plan.hidden) changes.push_back({vertex, ChangeKind::hide, {}});
  for (auto const unit : deprecated) changes.push_back({unit, ChangeKind::deprecate, {}});
  for (auto const& record : plan.records) commit.contents.push_back(schema::stored::encode(record));
  for (auto const& revision : plan.revisions) commit.contents.push_back(schema::stored::encode(revision.content));
  append_vectors(plan, tx);
  remember(plan);
  commit.rows = std::move(plan.rows);
  commit.revisions = std::move(revisions);
  commit.blobs = std::move(plan.blobs);

  KeptAnswer answer{.batch = fingerprint.value_or(schema::Digest{}),
                    .tx = tx,
                    .refs = std::move(plan.refs),
                    .warnings = std::move(plan.warnings)};
  if (fingerprint) {
    commit.entry.idempotency_key = batch.idempotency_key;
    commit.kept_answer = answer;
  }
  shop_.store.append(std::move(commit));
  return answer;
}

Result<void> Writer::commit() {
  auto const start = std::chrono::steady_clock::now();
  auto const committed = shop_.store.commit();
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
  if (committed) shop_.metrics.count(taken.count());
  return committed;
}

void Writer::forget_group() {
  shop_.graph.rollback();
  shop_.vectors.rollback();
  shop_.store.abandon();
  memory_.clear();
  topics_.clear();
  has_appended_ = false;
}

void Writer::append_vectors(Plan const& plan, TxId tx) {
  auto const append = [&](schema::VertexId vertex, schema::Record const& record) {
    auto const* chunk = std::get_if<schema::RetrievedChunk>(&record);
    if (chunk != nullptr && chunk->embedding) shop_.vectors.append(vertex, tx, *chunk->embedding);
  };
  for (std::size_t i = 0; i < plan.records.size(); ++i) append(plan.rows[i].vertex, plan.records[i]);
  for (auto const& revision : plan.revisions) append(revision.row.vertex, revision.content);
}

/// Keeps at hand what the store cannot give back yet, or what will be asked for again.
void Writer::remember(Plan& plan) {
  for (std::size_t i = 0; i < plan.records.size(); ++i) {
    topics_.take(plan.rows[i].vertex, plan.records[i]);
    memory_.add_made(std::move(plan.records[i]));
  }
  for (auto& revision : plan.revisions) {
    if (is_mere_retrieval(revision)) continue;
    topics_.take(revision.row.vertex, revision.whole);
    memory_.add_revised(revision.row.vertex, std::move(revision.whole));
  }
  for (auto const vertex : plan.hidden) {
    topics_.drop(vertex);
    memory_.forget(vertex);
  }
  for (auto const& blob : plan.blobs) memory_.add_blob(blob);
}

/// Commit times order as transactions do, even where the clock is set back.
schema::Time Writer::commit_time() const {
  return std::max(shop_.clock.now(), shop_.graph.pending().at());
}

}  // namespace whence::engine
