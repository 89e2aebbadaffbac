// A job for each discussion whose files are behind, taken by several threads in the order in which they are due. An
// answer waits for the files of its write up to a bound, then goes with a warning. What failed is due again later; what
// has no job any more is found by the sweep.

#include "net/files/follower.hpp"

#include "graph/snapshot/discussion.hpp"
#include "net/base/engine_view.hpp"
#include "net/files/discussion_files.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <exception>
#include <optional>

namespace whence::net {
namespace {

constexpr std::string_view files_rule = "files";
constexpr unsigned writers = 4;                     ///< one slow disk or discussion does not hold up the others
constexpr std::size_t failures_in_a_row_max = 100;  ///< then a sweep ends, and starts again later
constexpr std::chrono::milliseconds sweep_pause{25'000};

store::PairName pair_of(engine::DiscussionIds const& name) {
  return {.folder = name.user_id, .name = name.discussion_id};
}

/// "user/discussion.json", for people.
std::string path_of(engine::DiscussionIds const& name) {
  auto const paths = store::PairedFiles::paths_of(pair_of(name));
  return paths ? paths->json : name.user_id + "/" + name.discussion_id + ".json";
}

void warn(std::vector<Violation>& warnings, engine::DiscussionIds const& name, std::string const& problem) {
  if (warnings.size() >= schema::limits::violations_max) return;
  warnings.push_back(
      {.code = Errc::internal_error, .rule = std::string(files_rule), .message = path_of(name) + ": " + problem});
}

/// The last transaction that changed the discussion or one of its rounds or summaries.
schema::TxId last_change(graph::Snapshot const& now, schema::VertexId discussion) {
  auto last = now.created(discussion);
  auto const take = [&](schema::VertexId vertex) {
    last = std::max(last, now.created(vertex));
    if (auto const revisions = now.revisions(vertex); !revisions.empty()) last = std::max(last, revisions.back().tx);
    if (auto const deleted = now.deleted_at(vertex)) last = std::max(last, *deleted);
  };
  take(discussion);
  for (auto const round : now.relations_to_ever(discussion).vertices) take(round);
  for (auto const& summary : graph::summaries_of(now, discussion)) take(summary.vertex);
  return last;
}

}  // namespace

/// An answer that waits for files.
struct Follower::Waiter {
  engine::WriteAnswer answer;
  engine::WriteDone done;
  std::set<Name> missing;  ///< not tried yet; guarded by the follower's mutex, as the rest
  bool is_answered = false;
  Alarms::Id alarm = 0;
};

Follower::Follower(engine::Engine& engine, schema::Clock const& clock, std::shared_ptr<Alarms> alarms, LogSink log,
                   FollowerTimes times)
    : engine_(engine), clock_(clock), alarms_(std::move(alarms)), log_(std::move(log)), times_(times) {
  if (engine_.files() == nullptr) return;
  for (unsigned i = 0; i < writers; ++i) threads_.emplace_back([this] { keep_at([this] { work(); }); });
  threads_.emplace_back([this] { keep_at([this] { sweep(); }); });
  if (engine_.shared_log()) {
    threads_.emplace_back([this, seen = engine_.snapshot().tx()] { keep_at([this, seen] { follow_others(seen); }); });
  }
}

Follower::~Follower() {
  stop();
}

/// Begins again after a failure, a little later: what was under way is looked for by the sweep.
void Follower::keep_at(std::function<void()> const& loop) {
  schema::ThreadGuard guard{trouble_report(log_), "files of discussions", "what was under way is written later"};
  while (!guard.run(loop)) {
    std::unique_lock lock(mutex_);
    needs_sweep_ = true;
    if (changed_.wait_for(lock, times_.retry_min, [this] { return is_stopping_; })) return;
  }
}

void Follower::stop() {
  std::vector<std::shared_ptr<Waiter>> waiting;
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
    for (auto& [name, job] : jobs_) {
      for (auto& waiter : job.waiting) {
        if (std::exchange(waiter->is_answered, true)) continue;
        warn(waiter->answer.warnings, name, "is not written yet, the server is shutting down");
        waiting.push_back(std::move(waiter));
      }
      job.waiting.clear();
    }
  }
  changed_.notify_all();
  for (auto const& waiter : waiting) waiter->done(std::move(waiter->answer));
  threads_.clear();
}

void Follower::follow(Result<engine::WriteAnswer> answer, engine::WriteDone done) {
  if (!answer || answer->discussions.empty() || engine_.files() == nullptr) return done(std::move(answer));
  auto const waiter = std::make_shared<Waiter>();
  waiter->missing = {answer->discussions.begin(), answer->discussions.end()};
  waiter->answer = std::move(*answer);
  waiter->done = std::move(done);
  // Set before the writers know of it, so that they find it to forget.
  waiter->alarm = alarms_->set({.deadline = std::chrono::steady_clock::now() + times_.answer_max},
                               [self = weak_from_this(), waiter](bool) {
                                 if (auto const follower = self.lock()) follower->answer_late(waiter);
                               });
  bool is_over = false;
  {
    std::lock_guard const lock(mutex_);
    is_over = is_stopping_;
    waiter->is_answered = is_over;
    if (!is_over) {
      for (auto const& name : waiter->missing) {
        auto& job = jobs_[name];
        job.waiting.push_back(waiter);
        if (!job.is_running) put_due(name, job, std::chrono::steady_clock::now());
      }
    }
  }
  if (!is_over) return changed_.notify_all();
  alarms_->forget(waiter->alarm);
  waiter->done(std::move(waiter->answer));
}

void Follower::answer_late(std::shared_ptr<Waiter> const& waiter) {
  {
    std::lock_guard const lock(mutex_);
    if (std::exchange(waiter->is_answered, true)) return;
    for (auto const& name : waiter->missing) warn(waiter->answer.warnings, name, "is still being written");
  }
  waiter->done(std::move(waiter->answer));
}

void Follower::put_due(Name const& name, Job& job, Moment due) {
  due_.erase({job.due, name});
  job.due = due;
  due_.emplace(due, name);
}

void Follower::work() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto const first = *due_.begin();
    if (first.first > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, first.first);
      continue;
    }
    due_.erase(due_.begin());
    auto& job = jobs_.at(first.second);
    job.is_running = true;
    auto const waiting = std::exchange(job.waiting, {});
    lock.unlock();
    auto const outcome = attempt(first.second);
    auto const is_asked = !waiting.empty();
    std::vector<std::function<void()>> answered;
    lock.lock();
    count(outcome);
    for (auto const& waiter : waiting) {
      if (waiter->is_answered) continue;
      waiter->missing.erase(first.second);
      if (!outcome.problem.empty()) warn(waiter->answer.warnings, first.second, outcome.problem);
      if (!waiter->missing.empty()) continue;
      waiter->is_answered = true;
      answered.emplace_back([this, waiter] {
        alarms_->forget(waiter->alarm);
        waiter->done(std::move(waiter->answer));
      });
    }
    auto const failures = settle(first.second, outcome);
    lock.unlock();
    if (is_asked || failures <= 1) log(first.second, outcome, failures);
    for (auto const& answer : answered) answer();
    lock.lock();
  }
}

/// What becomes of a job after an attempt. How often it has failed in a row, before a success too.
unsigned Follower::settle(Name const& name, Outcome const& outcome) {
  auto const found = jobs_.find(name);
  auto& job = found->second;
  job.is_running = false;
  auto const failed_before = job.failures;
  bool const has_failed = outcome.kind == Outcome::Kind::failed;
  job.failures = has_failed ? job.failures + 1 : 0;
  auto const now = std::chrono::steady_clock::now();
  if (!job.waiting.empty() || std::exchange(job.is_changed, false)) {
    put_due(name, job, now);
  } else if (has_failed && jobs_.size() <= jobs_max) {
    auto const doublings = std::min(job.failures - 1, 10U);
    put_due(name, job, now + std::min(times_.retry_max, times_.retry_min * (1U << doublings)));
  } else {
    needs_sweep_ = needs_sweep_ || has_failed;
    jobs_.erase(found);
  }
  changed_.notify_all();
  return has_failed ? failed_before + 1 : 0;
}

Follower::Outcome Follower::attempt(Name const& name) const {
  using How = Outcome::Kind;
  Outcome outcome;
  auto const make = [&](store::FoundPair const& found) -> Result<std::optional<store::PairTexts>> {
    auto const view = view_of(engine_, engine_.snapshot());
    auto const latest = schema::plus_seconds(clock_.now(), engine_.config().future_tolerance_s);
    auto const following = following_of(view, pair_of(name), found, {.latest_time = latest});
    if (!following) return following.error();
    outcome = {};
    if (following->step == FollowStep::nothing) return std::optional<store::PairTexts>{};
    if (following->step == FollowStep::write) outcome.kind = How::written;
    if (following->step == FollowStep::keep) {
      outcome = {How::kept, following->reason + "; it is kept, see discussion.reconcile"};
      return std::optional<store::PairTexts>{};
    }
    if (following->step == FollowStep::reduce) {
      outcome = {How::kept, following->reason + "; it is kept, without what is gone, see discussion.reconcile"};
    }
    auto texts = texts_of(following->state, view.token_rules);
    texts.is_edited = following->step == FollowStep::reduce;
    return std::optional{std::move(texts)};
  };
  try {
    auto const updated = engine_.files()->update(pair_of(name), make);
    if (updated) return outcome;
    // A name that is too long stays so.
    if (updated.error().code == Errc::limit_exceeded) return {How::refused, updated.error().message};
    return {How::failed, updated.error().message + "; it is tried again"};
  } catch (std::exception const& failure) {
    return {How::failed, std::string(failure.what()) + "; it is tried again"};
  }
}

void Follower::count(Outcome const& outcome) {
  using How = Outcome::Kind;
  if (outcome.kind == How::written) ++metrics_.written;
  if (outcome.kind == How::failed || outcome.kind == How::refused) ++metrics_.failed;
  if (outcome.kind == How::kept) ++metrics_.edited;
}

FollowerMetrics Follower::metrics() const {
  std::lock_guard const lock(mutex_);
  auto metrics = metrics_;
  metrics.behind = jobs_.size();
  return metrics;
}

bool Follower::is_being_saved(engine::DiscussionIds const& name) const {
  std::lock_guard const lock(mutex_);
  auto const job = jobs_.find(name);
  return job != jobs_.end() && (job->second.is_running || !job->second.waiting.empty());
}

void Follower::report_out_of_sync(engine::DiscussionIds const& name, Violation const& warning) {
  {
    std::lock_guard const lock(mutex_);
    ++metrics_.out_of_sync;
  }
  if (!log_) return;
  LogEvent line{.level = LogLevel::warning, .component = "files", .event = "files_out_of_sync", .data = {}};
  schema::json::Writer(line.data)
      .begin_object()
      .member("path", path_of(name))
      .member("rule", warning.rule)
      .end_object();
  line.error = warning.message;
  log_(line);
}

void Follower::report_edited(engine::DiscussionIds const& name, std::string const& what) const {
  log(name, {.kind = Outcome::Kind::kept, .problem = what}, 0);
}

void Follower::log(Name const& name, Outcome const& outcome, std::size_t failures) const {
  if (!log_ || outcome.problem.empty()) return;
  LogEvent line{.level = LogLevel::warning, .component = "files", .event = "files_behind", .data = {}};
  if (outcome.kind == Outcome::Kind::kept) line.event = "files_edited";
  schema::json::Writer out(line.data);
  out.begin_object().member("path", path_of(name));
  if (failures > 0) out.member("failures", std::uint64_t{failures});
  out.end_object();
  line.error = outcome.problem;
  log_(line);
}

/// Discussions whose files are missing or older than the last change: after a crash, or where too many failed.
void Follower::sweep() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (std::exchange(needs_sweep_, false)) {
      lock.unlock();
      bool const is_done = sweep_once();
      lock.lock();
      needs_sweep_ = needs_sweep_ || !is_done;
    }
    changed_.wait_for(lock, sweep_pause, [this] { return is_stopping_; });
  }
}

bool Follower::sweep_once() {
  auto const now = engine_.snapshot();
  std::size_t failures = 0;
  for (auto const discussion : now.vertices(schema::RecordType::discussion)) {
    auto const parts = schema::split_key(now.id(discussion));
    if (parts.size() != 2) continue;
    Name const name{parts[0], parts[1]};
    {
      std::lock_guard const lock(mutex_);
      if (is_stopping_) return true;
      if (jobs_.contains(name)) continue;  // somebody is at it
    }
    if (!is_stale(now, discussion, name)) continue;
    auto const outcome = attempt(name);
    bool const has_failed = outcome.kind == Outcome::Kind::failed;
    failures = has_failed ? failures + 1 : 0;
    {
      std::lock_guard const lock(mutex_);
      count(outcome);
    }
    if (failures <= 1) log(name, outcome, failures);
    if (failures >= failures_in_a_row_max) return false;
    if (!has_failed) continue;
    std::lock_guard const lock(mutex_);
    auto const [job, is_new] = jobs_.try_emplace(name);
    if (is_new) put_due(name, job->second, std::chrono::steady_clock::now() + times_.retry_min);
    changed_.notify_all();
  }
  return true;
}

/// Writes the files of discussions that other nodes changed. Those of this node's own writes are looked at again, and
/// found as they should be.
void Follower::follow_others(schema::TxId seen) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, times_.others_every, [this] { return is_stopping_; })) {
    lock.unlock();
    seen = put_due_after(seen);
    lock.lock();
  }
}

/// Makes every discussion due that the transactions after `seen` changed. The last transaction looked at.
schema::TxId Follower::put_due_after(schema::TxId seen) {
  auto const now = engine_.snapshot();
  if (now.tx() == seen) return seen;
  std::set<Name> changed;
  auto const collect = [&](graph::Delta&& delta) {
    for (auto const& event : delta.events) {
      auto const type = now.type(event.vertex);
      bool const is_part = type == schema::RecordType::discussion || type == schema::RecordType::discussion_round ||
                           type == schema::RecordType::summary_entry;
      auto const parts = is_part ? schema::split_key(now.id(event.vertex)) : std::vector<std::string>{};
      if (parts.size() >= 2) changed.insert({parts[0], parts[1]});
    }
    seen = delta.tx;
    return changed.size() < jobs_max;
  };
  auto const read = engine_.read_deltas(schema::next(seen), now, collect);
  std::lock_guard const lock(mutex_);
  auto const due = std::chrono::steady_clock::now();
  for (auto const& name : changed) {
    auto const [job, is_new] = jobs_.try_emplace(name);
    if (is_new) put_due(name, job->second, due);
    // An attempt that runs may have begun before the change: `settle` must not forget it.
    job->second.is_changed = job->second.is_changed || job->second.is_running;
  }
  changed_.notify_all();
  return read ? seen : now.tx();  // what is damaged is passed over: `verify` and the next start name it
}

bool Follower::is_stale(graph::Snapshot const& now, schema::VertexId discussion, Name const& name) const {
  if (engine_.shared_log()) return true;  // the clock that a commit has may be another machine's
  auto const modified = engine_.files()->modified(pair_of(name));
  if (!modified) return modified.error().code != Errc::limit_exceeded;
  return !*modified || **modified < now.committed_at(last_change(now, discussion));
}

}  // namespace whence::net
