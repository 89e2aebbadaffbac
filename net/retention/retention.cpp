// The runs of retention, slice by slice.

#include "net/retention/retention.hpp"

#include "graph/removal/holds.hpp"
#include "queries/find/reading.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

namespace whence::net {

namespace {

constexpr std::size_t slice_records = 1'000;

/// Never asks to stop.
class Unbounded final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return schema::Stop::none; }
};

/// How far the clock may be ahead before it is doubted.
std::chrono::seconds ahead_max(queries::RetentionRules const& rules, RetentionTimes const& times) {
  std::optional<std::chrono::seconds> shortest;
  for (auto const& rule : rules.kept_for) {
    if (rule && (!shortest || *rule < *shortest)) shortest = rule;
  }
  return std::max(times.ahead_max, shortest.value_or(std::chrono::seconds{0}) / 4);
}

/// When the store was written last. One that is empty has nothing to lose.
schema::Time first_trusted(graph::Snapshot const& snapshot, schema::Clock const& clock) {
  return snapshot.tx() == schema::TxId{0} ? clock.now() : snapshot.at();
}

}  // namespace

Retention::Retention(engine::Engine& engine, schema::Clock const& clock, queries::RetentionRules const& rules,
                     LogSink log, RetentionTimes times)
    : engine_{engine},
      clock_{clock},
      rules_{rules},
      log_{std::move(log)},
      times_{.between_runs = times.between_runs, .ahead_max = ahead_max(rules, times)},
      trusted_{first_trusted(engine.snapshot(), clock), std::chrono::steady_clock::now()},
      thread_{trouble_report(log_), "retention", "it is tried again at the next time"} {
  if (rules_.is_empty()) return;
  // After a run that threw the thread sleeps as it did last: so a sleep, from which it is woken, comes before the
  // first.
  thread_.start([this, has_slept = false](std::stop_token const&) mutable {
    if (std::exchange(has_slept, true)) {
      run_by_itself();
    } else {
      thread_.wake();
    }
    return schema::WokenThread::Sleep{.most = times_.between_runs};
  });
}

void Retention::run_by_itself() {
  std::scoped_lock const alone{running_};
  auto const now = clock_.now();
  auto const expected = this->expected();
  auto outcome = find(now);
  bool const is_doubted = now > schema::plus_seconds(expected, static_cast<double>(times_.ahead_max.count()));
  if (is_doubted && outcome) {
    if (!outcome->found.old.empty()) hold(now, expected, outcome->found.old.size());
    return;
  }
  is_held_ = false;
  if (outcome) outcome = remove(*std::move(outcome), {});
  if (!is_doubted) trusted_ = {std::max(now, expected), std::chrono::steady_clock::now()};
  report(outcome);
}

Result<Retention::Outcome> Retention::run(bool is_dry, schema::Author const& author) {
  std::scoped_lock const alone{running_};
  auto const now = clock_.now();
  auto outcome = find(now);
  if (!outcome || is_dry) return outcome;
  trusted_ = {now, std::chrono::steady_clock::now()};
  is_held_ = false;
  return remove(*std::move(outcome), author);
}

/// The time that it should be: no clock that was set since has a part in it.
schema::Time Retention::expected() const {
  std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - trusted_.steady;
  return schema::plus_seconds(trusted_.clock, passed.count());
}

Result<Retention::Outcome> Retention::find(schema::Time now) const {
  auto const snapshot = engine_.snapshot();
  auto found = queries::find_expired(snapshot, rules_, now, Unbounded{});
  if (!found) return found.error();
  if (auto const left = leave_held(snapshot, now, *found); !left) return left.error();
  return Outcome{.found = *std::move(found), .tx = snapshot.tx()};
}

/// What must stay is kept, however old it is. The engine leaves out what is held by then.
Result<void> Retention::leave_held(graph::Snapshot const& snapshot, schema::Time now, queries::Expiry& found) const {
  if (found.old.empty()) return {};
  queries::View const view{.snapshot = snapshot, .records = &engine_.records()};
  auto const holds = graph::Holds::make(snapshot, queries::reading(view), engine::keeping(engine_.config(), now));
  if (!holds) return holds.error();
  std::vector<queries::Expiry::Old> free;
  for (auto const& each : found.old) {
    auto const hold = holds->find(each.vertex);
    if (!hold) return hold.error();
    if (hold->empty()) {
      free.push_back(each);
    } else {
      found.kept.push_back(each.vertex);
    }
  }
  found.old = std::move(free);
  return {};
}

Result<Retention::Outcome> Retention::remove(Outcome outcome, schema::Author const& author) {
  auto const found_at = outcome.tx;
  auto const& old = outcome.found.old;
  for (std::size_t begin = 0; begin < old.size(); begin += slice_records) {
    if (thread_.is_stopping()) return Error{.code = Errc::cancelled, .message = "the service ends"};
    engine::ContentRemoval removal{.found_at = found_at};
    for (auto i = begin; i < std::min(begin + slice_records, old.size()); ++i) removal.old.push_back(old[i].vertex);
    engine::WriteBatch batch;
    batch.step = std::move(removal);
    batch.actor = "retention";
    batch.who = author.who;
    batch.reason = author.reason;
    auto const written = engine_.write(std::move(batch));
    if (!written) return written.error();
    outcome.tx = written->tx;
  }
  return outcome;
}

/// Said once, until the clock is right or a run was asked for.
void Retention::hold(schema::Time now, schema::Time expected, std::size_t records) {
  if (is_held_.exchange(true) || !log_) return;
  LogEvent event{.level = LogLevel::warning, .component = "retention", .event = "held", .data = {}};
  schema::json::Writer data{event.data};
  data.begin_object().member("clock", schema::format_rfc3339(now)).member("expected", schema::format_rfc3339(expected));
  data.member("records", records).end_object();
  event.error =
      "the clock is too far ahead of the last commit and the time since: nothing expires by itself until it is "
      "right, or until admin.retention is called";
  log_(event);
}

void Retention::report(Result<Outcome> const& outcome) const {
  if (!log_ || (outcome && outcome->found.old.empty())) return;
  LogEvent event{.component = "retention", .event = "expired"};
  if (!outcome) {
    if (outcome.error().code == Errc::cancelled) return;
    event.level = LogLevel::error;
    event.error = outcome.error().message;
  } else {
    event.data.clear();
    schema::json::Writer{event.data}.begin_object().member("records", outcome->found.old.size()).end_object();
  }
  log_(event);
}

}  // namespace whence::net
