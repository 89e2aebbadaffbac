#include "engine/impl/writer.hpp"

#include "engine/impl/apply.hpp"
#include "engine/impl/judge.hpp"
#include "schema/report.hpp"

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
  group_.first = schema::VertexId{shop_.graph.pending().vertex_count()};
  std::vector<Answer> answers;
  answers.reserve(group.size());
  for (auto& request : group) answers.push_back(write(request.batch, request.fingerprint));
  if (!has_appended_) return answers;
  if (auto const committed = commit(); !committed) {
    forget_group();
    return all_failed(group.size(), committed.error());
  }
  shop_.graph.publish();
  group_.records.clear();
  has_appended_ = false;
  if (announce) announce(head());
  return answers;
}

Result<WriteAnswer> Writer::write(WriteBatch& batch, std::optional<schema::Digest> const& fingerprint) {
  if (fingerprint) {
    auto const kept = shop_.store.find_kept_answer(batch.idempotency_key);
    if (!kept) return kept.error();
    if (*kept && (*kept)->batch != *fingerprint) return other_batch(batch.idempotency_key);
    if (*kept) return answer_of(**kept);
  }
  if (batch.expect_tx && *batch.expect_tx != head()) return unexpected_head(*batch.expect_tx, head());
  return judge_and_append(batch, fingerprint);
}

Result<WriteAnswer> Writer::judge_and_append(WriteBatch& batch, std::optional<schema::Digest> const& fingerprint) {
  auto plan = judge(batch, {.known = shop_.graph.pending(), .store = shop_.store, .group = group_, .ids = shop_.ids});
  if (!plan) return plan.error();
  bool const is_unchanged = plan->rows.empty();
  if (is_unchanged || batch.dry_run) {
    if (fingerprint && !batch.dry_run) keep_unchanged(batch.idempotency_key, *fingerprint, *plan);
    return WriteAnswer{.tx = head(),
                       .refs = std::move(plan->refs),
                       .warnings = std::move(plan->warnings),
                       .is_unchanged = is_unchanged};
  }
  auto answer = append(batch, fingerprint, std::move(*plan));
  return WriteAnswer{.tx = answer.tx, .refs = std::move(answer.refs), .warnings = std::move(answer.warnings)};
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
  auto const deprecated =
      apply(shop_.graph, {.tx = tx, .at = commit.entry.at, .rows = plan.rows}, shop_.config.deprecate_below);
  commit.entry.changes.reserve(plan.rows.size() + deprecated.size());
  commit.contents.reserve(plan.rows.size());
  for (auto const& row : plan.rows) commit.entry.changes.push_back({row.vertex, ChangeKind::put, {}});
  for (auto const& record : plan.records) commit.contents.push_back(schema::stored::encode(record));
  for (auto const unit : deprecated) commit.entry.changes.push_back({unit, ChangeKind::deprecate, {}});
  commit.rows = std::move(plan.rows);
  std::move(plan.records.begin(), plan.records.end(), std::back_inserter(group_.records));

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
  shop_.store.abandon();
  group_.records.clear();
  has_appended_ = false;
}

/// Commit times order as transactions do, even where the clock is set back.
schema::Time Writer::commit_time() const {
  return std::max(shop_.clock.now(), shop_.graph.pending().at());
}

}  // namespace whence::engine
