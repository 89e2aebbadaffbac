// The runs of retention, slice by slice.

#include "net/retention/retention.hpp"

#include "schema/base/interrupt.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace whence::net {

namespace {

constexpr std::chrono::hours between_runs{1};
constexpr std::size_t slice_records = 1'000;

/// Never asks to stop.
class Unbounded final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return schema::Stop::none; }
};

}  // namespace

Retention::Retention(engine::Engine& engine, schema::Clock const& clock, queries::RetentionRules const& rules,
                     LogSink log)
    : engine_{engine}, clock_{clock}, rules_{rules}, log_{std::move(log)} {
  if (!rules_.is_empty()) thread_ = std::thread{[this] { work(); }};
}

Retention::~Retention() {
  {
    std::scoped_lock const lock{mutex_};
    is_ending_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Retention::work() {
  for (;;) {
    report(run(false));
    std::unique_lock lock{mutex_};
    if (ended_.wait_for(lock, between_runs, [this] { return is_ending_; })) return;
  }
}

Result<Retention::Outcome> Retention::run(bool is_dry) {
  std::scoped_lock const alone{running_};
  auto const snapshot = engine_.snapshot();
  auto found = queries::find_expired(snapshot, rules_, clock_.now(), Unbounded{});
  if (!found) return found.error();
  Outcome outcome{.found = *std::move(found), .tx = snapshot.tx()};
  auto const& old = outcome.found.old;
  for (std::size_t begin = 0; begin < old.size() && !is_dry; begin += slice_records) {
    {
      std::scoped_lock const lock{mutex_};
      if (is_ending_) return Error{.code = Errc::cancelled, .message = "the service ends"};
    }
    engine::ContentRemoval removal{.found_at = snapshot.tx()};
    for (auto i = begin; i < std::min(begin + slice_records, old.size()); ++i) removal.old.push_back(old[i].vertex);
    engine::WriteBatch batch;
    batch.step = std::move(removal);
    batch.actor = "retention";
    auto const written = engine_.write(std::move(batch));
    if (!written) return written.error();
    outcome.tx = written->tx;
  }
  return outcome;
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
