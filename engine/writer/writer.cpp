#include "engine/writer/writer.hpp"

#include "engine/steps/steps.hpp"
#include "engine/validation/removal.hpp"
#include "engine/validation/validate.hpp"
#include "engine/writer/apply.hpp"
#include "engine/writer/delta.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
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
  // A history that is refused takes its group with it, so it is a group of its own.
  while (!group.empty()) {
    auto const is_history = [](Request const& request) { return std::holds_alternative<History>(request.batch.step); };
    auto end = is_history(group.front()) ? group.begin() + 1 : std::ranges::find_if(group, is_history);
    std::vector<Request> next(std::make_move_iterator(group.begin()), std::make_move_iterator(end));
    group.erase(group.begin(), end);
    process_together(std::move(next), announce);
  }
}

void Writer::process_together(std::vector<Request> group, Announce const& announce) {
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
  bool const is_refused_history =
      std::holds_alternative<History>(group.front().batch.step) && (!answers.front() || group.front().batch.dry_run);
  if (is_refused_history) {
    forget_group();
    return answers;
  }
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
  if (auto const* const history = std::get_if<History>(&batch.step)) return restore(batch, *history);
  return validate_and_append(request);
}

Result<WriteAnswer> Writer::validate_and_append(Request& request) {
  auto const& batch = request.batch;
  auto plan = validate_any(request);
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
Result<Plan> Writer::validate_any(Request& request) {
  auto const& batch = request.batch;
  if (!batch.deletes.empty()) return validate_removal(batch.deletes, shop_.graph.pending());
  bool const is_step = !std::holds_alternative<std::monostate>(batch.step);
  return is_step ? validate_step(request, context()) : validate(request, context());
}

ValidationContext Writer::context() {
  return {.known = shop_.graph.pending(),
          .store = shop_.store,
          .memory = memory_,
          .topics = topics_,
          .ids = shop_.ids,
          .config = shop_.config,
          .now = shop_.clock.now()};
}

/// Binds the key of a batch that changed nothing: a repeat answers the same, whatever the head is by then.
void Writer::keep_unchanged(std::string const& key, schema::Digest const& fingerprint, Plan const& plan) {
  shop_.store.keep_answer(
      key, {.batch = fingerprint, .tx = head(), .refs = plan.refs, .warnings = plan.warnings, .is_unchanged = true});
  has_appended_ = true;
}

/// Gives the plan its transaction in the graph and in the store's open group.
KeptAnswer Writer::append(WriteBatch const& batch, std::optional<schema::Digest> const& fingerprint, Plan plan) {
  auto commit = append_to_graph(plan, commit_time(), nullptr);
  commit.entry.actor = batch.actor;
  KeptAnswer answer{.batch = fingerprint.value_or(schema::Digest{}),
                    .tx = commit.entry.tx,
                    .refs = std::move(plan.refs),
                    .warnings = std::move(plan.warnings)};
  if (fingerprint) {
    commit.entry.idempotency_key = batch.idempotency_key;
    commit.kept_answer = answer;
  }
  append_to_store(std::move(commit), plan);
  return answer;
}

/// Applies the plan as the next transaction. `deprecated`: which units fell, where that was decided before.
store::Commit Writer::append_to_graph(Plan& plan, schema::Time at, std::vector<schema::VertexId> const* deprecated) {
  store::Commit commit;
  commit.entry.tx = schema::next(head());
  commit.entry.at = at;
  has_appended_ = true;
  for (auto const& revision : plan.revisions) commit.revisions.push_back(revision.row);
  Transaction const transaction{
      .tx = commit.entry.tx, .at = at, .rows = plan.rows, .revisions = commit.revisions, .hidden = plan.hidden};
  std::vector<schema::VertexId> fallen;
  if (deprecated == nullptr) {
    fallen = apply(shop_.graph, transaction, shop_.config.deprecate_below);
  } else {
    fallen = *deprecated;
    apply_logged(shop_.graph, transaction, fallen);
  }
  auto& changes = commit.entry.changes;
  changes.reserve(plan.rows.size() + plan.revisions.size() + plan.hidden.size() + fallen.size());
  commit.contents.reserve(plan.rows.size() + plan.revisions.size());
  for (auto const& row : plan.rows) changes.push_back({row.vertex, ChangeKind::put, {}});
  for (auto const& revision : commit.revisions) changes.push_back({revision.vertex, ChangeKind::revise, {}});
  for (auto const vertex : plan.hidden) changes.push_back({vertex, ChangeKind::hide, {}});
  for (auto const unit : fallen) changes.push_back({unit, ChangeKind::deprecate, {}});
  for (auto const& record : plan.records) commit.contents.push_back(schema::stored::encode(record));
  for (auto const& revision : plan.revisions) commit.contents.push_back(schema::stored::encode(revision.content));
  return commit;
}

void Writer::append_to_store(store::Commit commit, Plan& plan) {
  append_vectors(plan, commit.entry.tx);
  remember(plan);
  commit.rows = std::move(plan.rows);
  commit.blobs = std::move(plan.blobs);
  shop_.store.append(std::move(commit));
}

/// All transactions or none: the group holds nothing else.
Result<WriteAnswer> Writer::restore(WriteBatch const& batch, History const& history) {
  PastReader records(shop_.store);
  for (auto const& past : history.transactions) {
    auto const restored = restore(batch, past, history, records);
    if (!restored) return restored.error();
  }
  return WriteAnswer{.tx = head(), .refs = {}};
}

Result<void> Writer::restore(WriteBatch const& batch, PastTransaction const& past, History const& history,
                             PastReader& records) {
  auto const line = past.events.empty() ? 0 : past.events.front().line;
  if (past.events.empty()) return past_error(line, "is a transaction without events");
  if (past.tx != schema::next(head())) return unexpected_head(TxId{schema::number(past.tx) - 1}, head());
  if (past.at < shop_.graph.pending().at() && head() > TxId{0})
    return past_error(line, "is earlier than what it follows");
  auto planned = plan_past(past, context());
  if (!planned) return planned.error();
  auto& plan = planned->plan;
  auto commit = append_to_graph(plan, past.at, history.keeps_statuses ? &planned->deprecated : nullptr);
  commit.entry.actor = batch.actor;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    records.add({plan.rows[i].vertex, 0}, plan.rows[i].type, commit.contents[i]);
  }
  for (std::size_t i = 0; i < plan.revisions.size(); ++i) {
    auto const& row = plan.revisions[i].row;
    records.add({row.vertex, row.revision}, row.type, commit.contents[plan.rows.size() + i]);
  }
  for (auto const& blob : plan.blobs) records.add(blob);
  auto const after = shop_.graph.pending();
  std::vector<schema::VertexId> deprecated;
  for (auto const& change : changes_of(commit.entry, ChangeKind::deprecate)) deprecated.push_back(change.vertex);
  auto delta = delta_of({.tx = past.tx,
                         .at = past.at,
                         .rows = plan.rows,
                         .revisions = commit.revisions,
                         .hidden = plan.hidden,
                         .deprecated = deprecated},
                        after);
  if (auto const checked = check_cycles(past, delta, after); !checked) return checked;
  if (auto const checked = history.check(past, std::move(delta), after, records); !checked) return checked;
  append_to_store(std::move(commit), plan);
  return {};
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
