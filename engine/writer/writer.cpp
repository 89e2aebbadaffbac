// Each batch of a group is validated against the graph with the batches before it. Until the commit the whole group can
// be forgotten (`forget_group`). Once the environment failed nothing is written any more, since the graph may lack what
// is on disk.

#include "engine/writer/writer.hpp"

#include "engine/steps/content_removal.hpp"
#include "engine/steps/four_eyes.hpp"
#include "engine/steps/steps.hpp"
#include "engine/validation/removal.hpp"
#include "engine/validation/validate.hpp"
#include "engine/writer/apply.hpp"
#include "engine/writer/delta.hpp"
#include "engine/writer/foresight.hpp"
#include "engine/writer/touched.hpp"
#include "engine/writer/turn.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/stored/sealed.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <utility>

namespace whence::engine {
namespace {

using schema::stored::ChangeKind;
using schema::stored::KeptAnswer;

constexpr std::uint32_t memory_retry_ms = 1000;
constexpr std::size_t staged_at_once = 128;  // 0.3 ms

Error key_conflict(std::string const& key, std::string message) {
  return error_from(Violation{.code = Errc::conflict,
                              .rule = "idempotency_key",
                              .path = "/idempotency_key",
                              .seen = schema::shown(key),
                              .message = std::move(message)});
}

/// Whether a record of the answer, or what a response of it was made from, was purged since.
bool names_purged(KeptAnswer const& kept, graph::Snapshot const& known) {
  auto const then = known.as_of(kept.tx);
  auto const is_purged = [&](schema::VertexId vertex) { return then.gone(vertex) == graph::GoneWhy::purged; };
  return std::ranges::any_of(kept.refs, [&](std::string const& text) {
    auto const ref = schema::parse_ref(text);
    auto const vertex = ref ? then.find(ref->type, ref->id) : std::nullopt;
    if (!vertex) return false;
    auto const causes = then.causes_ever(*vertex);
    return is_purged(*vertex) || std::ranges::any_of(causes.vertices, is_purged);
  });
}

WriteAnswer answer_of(KeptAnswer const& kept) {
  return {.tx = kept.tx, .refs = kept.refs, .warnings = kept.warnings, .is_unchanged = kept.is_unchanged};
}

/// What is kept of warnings, and answered under a key: not what was seen, a piece of a content, which would stay when
/// that goes.
std::vector<Violation> without_seen(std::vector<Violation> warnings) {
  for (auto& warning : warnings) warning.seen.clear();
  return warnings;
}

Error after_failure(std::string const& what) {
  return {.code = Errc::internal_error, .message = "nothing is written any more after a failure: " + what};
}

Error past_the_log(std::string const& log) {
  return {.code = Errc::conflict,
          .message = "this store belongs to the replicated log " + log +
                     " and was opened without it: what it wrote now would be in no other node. Serve it with --log "
                     "nats://HOST:PORT/" +
                     log + ", or let it leave the log for good: whence log leave --db DIR"};
}

/// A revision that adds edges and leaves the record as it was: nothing to remember.
bool adds_edges_only(PlannedRevision const& revision) {
  auto const* chunk = std::get_if<schema::RetrievedChunk>(&revision.content);
  if (chunk != nullptr) return !chunk->embedding;
  bool const is_of_act = std::holds_alternative<schema::Response>(revision.content) ||
                         std::holds_alternative<schema::Answer>(revision.content);
  return is_of_act && revision.row.kind == schema::RevisionKind::update;
}

bool is_proposal(schema::Record const& record) {
  auto const* const activity = std::get_if<schema::ProvActivity>(&record);
  return activity != nullptr && is_proposal_id(activity->id);
}

/// Whether a restored transaction does what one user may not do alone, or says that another had proposed it.
bool passes_four_eyes(Plan const& plan) {
  return (plan.gone_why == graph::GoneWhy::purged && !plan.gone.empty()) ||
         std::ranges::any_of(plan.records, is_proposal) ||
         std::ranges::any_of(plan.revisions, is_proposal, &PlannedRevision::whole);
}

/// While `own` is done, makes the contents of the plan's records, then of its revisions, and all that the store will
/// hold of them.
void stage_beside(std::function<void()> const& own, Plan const& plan, store::Store const& store, store::Commit& commit,
                  Helper& helper) {
  auto& contents = commit.contents;
  contents.resize(plan.records.size() + plan.revisions.size());
  auto const content = [&](std::size_t i) -> schema::Record const& {
    return i < plan.records.size() ? plan.records[i] : plan.revisions[i - plan.records.size()].content;
  };
  auto const kind = [&](std::size_t i) {
    return i < plan.records.size() ? schema::RevisionKind::whole : plan.revisions[i - plan.records.size()].row.kind;
  };
  commit.staged.resize((contents.size() + staged_at_once - 1) / staged_at_once);
  helper.run_beside(own, commit.staged.size(), [&](std::size_t piece) {
    auto const begin = piece * staged_at_once;
    auto const end = std::min(contents.size(), begin + staged_at_once);
    for (auto i = begin; i < end; ++i)
      contents[i] = schema::stored::seal(content(i), schema::stored::fresh_salt(), kind(i));
    auto const rows_begin = std::min(begin, plan.rows.size());
    auto const rows_end = std::min(end, plan.rows.size());
    commit.staged[piece] =
        store.stage(std::span{plan.rows}.subspan(rows_begin, rows_end - rows_begin),
                    std::span{commit.revisions}.subspan(begin - rows_begin, end - rows_end - (begin - rows_begin)),
                    std::span{contents}.subspan(begin, end - begin));
  });
}

}  // namespace

void Writer::process(std::vector<Request> waiting, MoreRequests const& more, Announce const& announce,
                     FailureReport const& report) {
  Calls const calls{more, announce, report};
  if (waiting.empty() && log_ != nullptr) process_together({}, waiting, calls);
  while (!waiting.empty()) {
    process_together(take_turn(waiting), waiting, calls);
  }
}

void Writer::process_together(std::vector<Request> group, std::vector<Request>& waiting, Calls const& calls) {
  std::vector<Answer> answers;
  try {
    auto const failed = failure_.read();
    if (failed) {
      answers = all_failed(group.size(), after_failure(*failed));
    } else if (absent_log_) {
      answers = all_failed(group.size(), past_the_log(*absent_log_));
    } else {
      answers = log_ == nullptr ? write(group, calls.announce) : write_replicated(group, waiting, calls);
    }
  } catch (std::bad_alloc const&) {
    answers = is_committing_ ? end_writing(group.size(), "no memory was left to publish a commit", calls.report)
                             : refuse_for_memory(group.size());
  } catch (std::exception const& failure) {
    answers = end_writing(group.size(), failure.what(), calls.report);
  }
  for (std::size_t i = 0; i < group.size(); ++i) group[i].done(std::move(answers[i]));
  memory_.settle();  // after the answers: to free the records of a large batch takes milliseconds
}

std::vector<Result<WriteAnswer>> Writer::all_failed(std::size_t count, Error const& error) {
  return std::vector<Answer>(count, Answer(error));
}

/// The environment has failed: the graph may lack what is on disk.
std::vector<Result<WriteAnswer>> Writer::end_writing(std::size_t count, std::string const& why,
                                                     FailureReport const& report) {
  is_committing_ = false;
  failure_.set(why);
  forget_group();
  if (report) report(why);
  return all_failed(count, after_failure(why));
}

/// Before the commit: the group is as if it had never come.
std::vector<Result<WriteAnswer>> Writer::refuse_for_memory(std::size_t count) {
  forget_group();
  return all_failed(count, no_memory_now());
}

Error Writer::no_memory_now() {
  return {.code = Errc::busy,
          .message = "there is not enough memory for these writes now",
          .retry_after_ms = memory_retry_ms};
}

std::vector<Result<WriteAnswer>> Writer::write(std::vector<Request>& group, Announce const& announce) {
  auto answers = append_all(group);
  if (!has_appended_) return answers;
  if (auto const durable = make_durable(announce); !durable) return all_failed(group.size(), durable.error());
  return answers;
}

/// Validates the batches in order and appends what they write to the open group, which is empty again where it was
/// to be a history that was refused.
std::vector<Result<WriteAnswer>> Writer::append_all(std::vector<Request>& group) {
  if (!has_appended_) memory_.open(head(), schema::VertexId{graph_.pending().vertex_count()});
  std::vector<Answer> answers;
  answers.reserve(group.size());
  for (auto& request : group) answers.push_back(write(request));
  bool const is_refused_history =
      std::holds_alternative<History>(group.front().batch.step) && (!answers.front() || group.front().batch.dry_run);
  if (has_appended_ && is_refused_history) forget_group();
  return answers;
}

/// The open group: durable, then visible, then announced. Fails with `storage_full`; then it is as if it had never
/// come.
Result<void> Writer::make_durable(Announce const& announce) {
  is_committing_ = true;
  if (auto const committed = commit(); !committed) {
    is_committing_ = false;
    forget_group();
    return committed.error();
  }
  vectors_.publish();  // before the graph, so that a snapshot has the embeddings of its transactions
  graph_.publish();
  has_appended_ = false;
  is_committing_ = false;
  if (announce) announce(head());
  return {};
}

Result<WriteAnswer> Writer::write(Request& request) {
  auto const& batch = request.batch;
  if (auto const& fingerprint = request.fingerprint) {
    auto const kept = store_.find_kept_answer(batch.idempotency_key);
    if (!kept) return kept.error();
    // Whether it is the same batch is not told then: who guesses a purged text would know it.
    if (*kept && names_purged(**kept, graph_.pending()))
      return key_conflict(batch.idempotency_key,
                          "something that was written under this key was purged; use another key");
    if (*kept && (*kept)->batch != *fingerprint)
      return key_conflict(batch.idempotency_key, "this key was used for another batch");
    if (*kept) return answer_of(**kept);
  }
  if (batch.expect_tx && *batch.expect_tx != head()) return unexpected_head(*batch.expect_tx, head());
  if (auto const* const history = std::get_if<History>(&batch.step)) return restore(batch, *history);
  bool const deletes_too = !batch.deletes.empty() && !batch.records.empty() && !batch.dry_run;
  auto answer = validate_and_append(request);
  if (!answer || !deletes_too) return answer;
  if (auto const deleted = append_deletes(batch); !deleted) return deleted.error();
  answer->tx = head();
  return answer;
}

/// Of a batch that has records too: the deletions, as the next transaction of the group. What is gone by now, or needed
/// by others, is left out.
Result<void> Writer::append_deletes(WriteBatch const& batch) {
  at_ = commit_time();
  auto const known = graph_.pending();
  Contents contents(store_, memory_, known);
  RemovalContext const removal{known, contents, schema::epoch_ms_of(at_), keeping(config_, at_),
                               batch.hides_purged_texts};
  std::vector<schema::NodeRef> refs;
  for (auto const& ref : batch.deletes) {
    auto const alone = validate_removal({&ref, 1}, batch.force, removal);
    if (alone) refs.push_back(ref);
    bool const is_left = !alone && (alone.error().code == Errc::not_found || alone.error().code == Errc::precondition);
    if (!alone && !is_left) return alone.error();
  }
  if (refs.empty()) return {};
  auto plan = validate_removal(refs, batch.force, removal);
  if (!plan) return plan.error();
  append(batch, std::nullopt, std::move(*plan));
  return {};
}

Result<WriteAnswer> Writer::validate_and_append(Request& request) {
  auto const& batch = request.batch;
  at_ = commit_time();
  auto plan = validate_any(request);
  if (!plan) return plan.error();
  if (auto const checked = check_embeddings(*plan); !checked) return checked.error();
  if (plan->is_empty() || batch.dry_run) {
    if (request.fingerprint && !batch.dry_run) {
      plan->warnings = without_seen(std::move(plan->warnings));
      keep_unchanged(batch.idempotency_key, *request.fingerprint, *plan);
    }
    return WriteAnswer{.tx = head(),
                       .refs = std::move(plan->refs),
                       .warnings = std::move(plan->warnings),
                       .is_unchanged = plan->is_empty(),
                       .removal = std::move(plan->removal),
                       .made = std::move(plan->made),
                       .withheld = plan->withheld};
  }
  auto removal = std::move(plan->removal);
  auto made = std::move(plan->made);
  auto const withheld = plan->withheld;
  auto discussions = touched_discussions(*plan, batch.step, graph_.pending());
  auto answer = append(batch, request.fingerprint, std::move(*plan));
  return WriteAnswer{.tx = answer.tx,
                     .refs = std::move(answer.refs),
                     .warnings = std::move(answer.warnings),
                     .removal = std::move(removal),
                     .made = std::move(made),
                     .withheld = withheld,
                     .discussions = std::move(discussions)};
}

/// The plan of the batch: of its records, its deletions or its step.
Result<Plan> Writer::validate_any(Request& request) {
  auto const& batch = request.batch;
  if (!batch.deletes.empty() && batch.records.empty()) {
    auto const known = graph_.pending();
    Contents contents(store_, memory_, known);
    return validate_removal(
        batch.deletes, batch.force,
        {known, contents, schema::epoch_ms_of(at_), keeping(config_, at_), batch.hides_purged_texts});
  }
  if (auto const* const removal = std::get_if<ContentRemoval>(&batch.step)) {
    bool const is_proposed = removal->is_purge && config_.four_eyes && !batch.dry_run;
    return is_proposed ? propose(*removal, request) : remove(*removal, request, {});
  }
  if (auto const* const confirming = std::get_if<PurgeConfirming>(&batch.step)) return confirm(*confirming, request);
  bool const is_step = !std::holds_alternative<std::monostate>(batch.step);
  return is_step ? validate_step(request, context(batch)) : validate(request, context(batch));
}

Result<Plan> Writer::plan_removal(ContentRemoval const& removal, graph::Snapshot const& known) {
  auto const proposals = indexes_.of<ProposalIndex>().all({known, store_, memory_});
  if (!proposals) return proposals.error();
  return plan_content_removal(removal, {.known = known,
                                        .store = store_,
                                        .blobs = indexes_.blobs(),
                                        .proposals = *proposals,
                                        .keeping = keeping(config_, at_)});
}

/// The plan of a removal; where that is of a person, with the record of the erasure.
Result<Plan> Writer::remove(ContentRemoval const& removal, Request& request, std::string const& proposed_by) {
  auto const known = graph_.pending();
  auto plan = plan_removal(removal, known);
  if (!plan || removal.person.empty() || request.batch.dry_run) return plan;
  bool const erases =
      std::ranges::any_of(plan->gone, [&](schema::VertexId vertex) { return !is_proposal_id(known.id(vertex)); });
  return erases ? with_erasure(*std::move(plan), request, proposed_by) : std::move(plan);
}

/// The plan of writing down what `removal` would do, for somebody else to confirm it.
Result<Plan> Writer::propose(ContentRemoval const& removal, Request& request) {
  auto const would = plan_removal(removal, graph_.pending());
  if (!would || would->is_empty()) return would;
  auto& batch = request.batch;
  auto const id = ids_.uuid();
  auto const proposal = proposal_of(
      removal, {.id = id, .who = batch.who, .reason = batch.reason, .at = at_, .open_for = *config_.four_eyes});
  if (!proposal) return proposal.error();
  batch.records.clear();
  batch.records.push_back({.record = record_of(*proposal)});
  return validate(request, context(batch));
}

/// The plan of what was proposed, as that is now, and of saying so.
Result<Plan> Writer::confirm(PurgeConfirming const& confirming, Request& request) {
  auto& batch = request.batch;
  auto const known = graph_.pending();
  Contents contents(store_, memory_, known);
  auto const read = contents.reading();
  auto found = find_proposal(confirming.id, {known, read});
  if (!found) return found.error();
  if (auto const may = check_confirmer(found->proposal, batch.who, at_); !may) return may.error();
  batch.reason = found->proposal.reason;
  auto plan = remove(removal_of(*found), request, found->proposal.proposed_by);
  if (plan) close_confirmed(*std::move(found), batch.who, known, *plan);
  return plan;
}

/// The plan with the record that says what it erased.
Result<Plan> Writer::with_erasure(Plan plan, Request& request, std::string const& proposed_by) {
  auto& batch = request.batch;
  auto const id = ids_.uuid();
  Erasing const erasing{.id = id, .who = batch.who, .reason = batch.reason, .at = at_, .proposed_by = proposed_by};
  batch.records.clear();
  batch.records.push_back({.record = erasure_of(plan, graph_.pending(), erasing)});
  auto record = validate(request, context(batch));
  if (!record) return record.error();
  plan.rows = std::move(record->rows);
  plan.records = std::move(record->records);
  plan.refs = std::move(record->refs);
  return plan;
}

ValidationContext Writer::context(WriteBatch const& batch) {
  return {.known = graph_.pending(),
          .store = store_,
          .memory = memory_,
          .indexes = indexes_,
          .ids = ids_,
          .helper = helper_,
          .config = config_,
          .now = at_,
          .mode = batch.mode.value_or(config_.mode),
          .id_key = store_.id_key()};
}

/// Binds the key of a batch that changed nothing, in the group's commit as other keys: a repeat gets the same answer,
/// whatever the head is by then.
void Writer::keep_unchanged(std::string const& key, schema::Digest const& fingerprint, Plan const& plan) {
  store_.keep_answer(
      key, {.batch = fingerprint, .tx = head(), .refs = plan.refs, .warnings = plan.warnings, .is_unchanged = true});
  has_appended_ = true;
}

/// Appends the plan as a transaction to the graph and to the store's open group.
KeptAnswer Writer::append(WriteBatch const& batch, std::optional<schema::Digest> const& fingerprint, Plan plan) {
  for (auto const& record : plan.records) flags_.count(record);
  auto commit = append_to_graph(plan, at_, nullptr);
  commit.entry.actor = batch.actor;
  commit.entry.who = batch.who;
  commit.entry.reason = batch.reason;
  KeptAnswer answer{.batch = fingerprint.value_or(schema::Digest{}),
                    .tx = commit.entry.tx,
                    .refs = std::move(plan.refs),
                    .warnings = fingerprint ? without_seen(std::move(plan.warnings)) : std::move(plan.warnings)};
  if (fingerprint) {
    commit.entry.idempotency_key = batch.idempotency_key;
    commit.kept_answer = answer;
  }
  append_to_store(std::move(commit), plan);
  return answer;
}

/// Applies the plan as the next transaction. `deprecated`: the units to deprecate, if that was decided before.
store::Commit Writer::append_to_graph(Plan& plan, schema::Time at, std::vector<schema::VertexId> const* deprecated) {
  store::Commit commit;
  commit.entry.tx = schema::next(head());
  commit.entry.at = at;
  has_appended_ = true;
  auto const before = graph_.pending();
  for (auto const& revision : plan.revisions) commit.revisions.push_back(revision.row);
  bool const is_purge = plan.gone_why == graph::GoneWhy::purged;
  std::span<schema::VertexId const> const gone{plan.gone};
  Transaction const transaction{.tx = commit.entry.tx,
                                .at = at,
                                .rows = plan.rows,
                                .revisions = commit.revisions,
                                .hidden = plan.hidden,
                                .expired = is_purge ? gone.first(0) : gone,
                                .purged = is_purge ? gone : gone.first(0)};
  std::vector<schema::VertexId> fallen;
  auto const apply_plan = [&] {
    if (deprecated == nullptr) {
      fallen = apply(graph_, transaction, config_.deprecate_below);
    } else {
      fallen = *deprecated;
      apply_logged(graph_, transaction, fallen);
    }
  };
  stage_beside(apply_plan, plan, store_, commit, helper_);
  auto& changes = commit.entry.changes;
  changes.reserve(plan.rows.size() + plan.revisions.size() + plan.hidden.size() + fallen.size());
  for (auto const& row : plan.rows) changes.push_back({row.vertex, ChangeKind::put, {}});
  for (auto const& revision : commit.revisions) changes.push_back({revision.vertex, ChangeKind::revise, {}});
  for (auto const vertex : plan.hidden) changes.push_back({vertex, ChangeKind::hide, {}});
  for (auto const unit : fallen) changes.push_back({unit, ChangeKind::deprecate, {}});
  for (auto const vertex : plan.gone) {
    changes.push_back({vertex, is_purge ? ChangeKind::purge : ChangeKind::expire, {}});
    commit.gone.push_back({vertex, before.type(vertex), before.contents_count(vertex) - 1});
  }
  commit.removed_blobs = plan.removed_blobs;
  return commit;
}

void Writer::append_to_store(store::Commit commit, Plan& plan) {
  append_vectors(plan, commit.entry.tx);
  remember(plan);
  commit.rows = std::move(plan.rows);
  commit.blobs = std::move(plan.blobs);
  store_.append(std::move(commit));
}

/// All transactions or none: the group consists of this history only.
Result<WriteAnswer> Writer::restore(WriteBatch const& batch, History const& history) {
  RestoredRecords records(store_);
  RemovedBefore removed;
  std::vector<DiscussionIds> discussions;
  for (auto const& transaction : history.transactions) {
    auto const restored = restore(batch, transaction, history, records, removed);
    if (!restored) return restored.error();
    discussions.insert(discussions.end(), restored->begin(), restored->end());
  }
  std::ranges::sort(discussions);
  discussions.erase(std::unique(discussions.begin(), discussions.end()), discussions.end());
  return WriteAnswer{.tx = head(), .refs = {}, .discussions = std::move(discussions)};
}

Result<std::vector<DiscussionIds>> Writer::restore(WriteBatch const& batch, RestoredTransaction const& transaction,
                                                   History const& history, RestoredRecords& records,
                                                   RemovedBefore& removed) {
  auto const line = transaction.events.empty() ? 0 : transaction.events.front().line;
  if (transaction.events.empty()) return history_error(line, "is a transaction without events");
  if (transaction.tx != schema::next(head())) return unexpected_head(TxId{schema::number(transaction.tx) - 1}, head());
  if (transaction.at < graph_.pending().at() && head() > TxId{0})
    return history_error(line, "is earlier than the transaction before it");
  at_ = transaction.at;
  auto planned = plan_restored(transaction, context(batch), removed);
  if (!planned) return planned.error();
  auto& plan = planned->plan;
  if (config_.four_eyes && passes_four_eyes(plan)) {
    auto const where = "transaction " + std::to_string(schema::number(transaction.tx));
    return error_from(Violation{.code = Errc::precondition,
                                .rule = "four_eyes",
                                .path = "/events",
                                .seen = schema::shown(where),
                                .message =
                                    "purges, or proposes a purge, which only purge.confirm does here: restore it "
                                    "into a store that is not served"});
  }
  auto discussions = touched_discussions(plan, batch.step, graph_.pending());
  if (auto const checked = check_embeddings(plan); !checked) return checked.error();
  auto commit = append_to_graph(plan, transaction.at, history.keeps_statuses ? &planned->deprecated : nullptr);
  commit.entry.actor = batch.actor;
  commit.entry.who = batch.who;
  commit.entry.reason = transaction.reason;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    records.add({plan.rows[i].vertex, 0}, plan.rows[i].type, commit.contents[i].words);
  }
  for (std::size_t i = 0; i < plan.revisions.size(); ++i) {
    auto const& row = plan.revisions[i].row;
    records.add({row.vertex, row.revision}, row.type, commit.contents[plan.rows.size() + i].words);
  }
  for (auto const& blob : plan.blobs) records.add(blob);
  for (auto const& each : commit.gone) removed[each.vertex] = {each.last_revision + 1, plan.gone_why};
  auto const after = graph_.pending();
  std::vector<schema::VertexId> deprecated;
  for (auto const& change : changes_of(commit.entry, ChangeKind::deprecate)) deprecated.push_back(change.vertex);
  bool const is_purge = plan.gone_why == graph::GoneWhy::purged;
  std::span<schema::VertexId const> const gone{plan.gone};
  auto delta = delta_of({.tx = transaction.tx,
                         .at = transaction.at,
                         .rows = plan.rows,
                         .revisions = commit.revisions,
                         .hidden = plan.hidden,
                         .deprecated = deprecated,
                         .expired = is_purge ? gone.first(0) : gone,
                         .purged = is_purge ? gone : gone.first(0)},
                        after);
  if (auto const checked = check_cycles(transaction, delta, after); !checked) return checked.error();
  if (auto const checked = history.check(transaction, std::move(delta), after, records); !checked) {
    return checked.error();
  }
  append_to_store(std::move(commit), plan);
  return discussions;
}

Result<void> Writer::commit() {
  auto const start = std::chrono::steady_clock::now();
  auto committed = store_.commit();
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
  if (committed) metrics_.count(taken.count(), std::exchange(flags_, {}));
  room_.set(committed ? std::nullopt : std::optional{store_.why_no_room()});
  return committed;
}

void Writer::forget_group() {
  graph_.rollback();
  vectors_.rollback();
  store_.abandon();
  memory_.clear();
  indexes_.clear();
  flags_ = {};
  has_appended_ = false;
}

void Writer::append_vectors(Plan const& plan, TxId tx) {
  auto const append = [&](schema::VertexId vertex, schema::Record const& record) {
    auto const* chunk = std::get_if<schema::RetrievedChunk>(&record);
    if (chunk == nullptr || !chunk->embedding) return;
    vectors_.append(vertex, tx, *chunk->embedding, model_of(*chunk));
  };
  for (std::size_t i = 0; i < plan.records.size(); ++i) append(plan.rows[i].vertex, plan.records[i]);
  for (auto const& revision : plan.revisions) append(revision.row.vertex, revision.content);
}

std::string_view Writer::model_of(schema::RetrievedChunk const& chunk) const {
  return chunk.embedding_model ? *chunk.embedding_model : config_.embeddings.unnamed;
}

/// A search looks at the embeddings of one model and dimension, so each such pair takes memory of its own.
Result<void> Writer::check_embeddings(Plan const& plan) const {
  std::vector<graph::SpaceName> names;
  auto const take = [&](schema::Record const& record) {
    auto const* chunk = std::get_if<schema::RetrievedChunk>(&record);
    if (chunk != nullptr && chunk->embedding) names.push_back({model_of(*chunk), chunk->embedding->size()});
  };
  for (auto const& record : plan.records) take(record);
  for (auto const& revision : plan.revisions) take(revision.content);
  if (names.empty() || vectors_.has_room(std::move(names))) return {};
  return Error{.code = Errc::limit_exceeded,
               .message = "a store has embeddings of at most " + std::to_string(schema::limits::embedding_spaces_max) +
                          " models and dimensions"};
}

/// Remembers records that the store cannot return yet or that will probably be needed again.
void Writer::remember(Plan& plan) {
  auto const known = graph_.pending();
  for (std::size_t i = 0; i < plan.records.size(); ++i) {
    indexes_.blobs().take(plan.records[i]);
    indexes_.take({plan.rows[i].vertex, plan.records[i], known, true});
  }
  memory_.add_made(std::move(plan.records));
  for (auto& revision : plan.revisions) {
    indexes_.blobs().take(revision.content);
    if (adds_edges_only(revision)) continue;
    indexes_.take({revision.row.vertex, revision.whole, known, false});
    memory_.add_revised(revision.row.vertex, std::move(revision.whole));
  }
  for (auto const vertex : plan.hidden) {
    indexes_.drop_deleted(vertex, known);
    memory_.forget(vertex);
  }
  for (auto const vertex : plan.gone) {
    indexes_.drop_gone(vertex);
    memory_.forget(vertex);
  }
  for (auto const& digest : plan.released_blobs) indexes_.blobs().drop(digest);
  for (auto const& blob : plan.blobs) memory_.add_blob(blob);
}

/// Commit times never decrease, even if the clock is set back.
schema::Time Writer::commit_time() const {
  return std::max(clock_.now(), graph_.pending().at());
}

}  // namespace whence::engine
