#include "net/work/clock_watch.hpp"

#include "schema/json/writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace whence::net {

namespace {

constexpr std::chrono::seconds between_looks{1};
/// A clock that is slewed, a machine that pauses for a while: nothing to report.
constexpr std::int64_t reported_from_s = 60;

}  // namespace

ClockWatch::ClockWatch(engine::Engine const& engine, schema::Clock const& clock, LogSink log)
    : engine_(engine), clock_(clock), log_(std::move(log)) {}

void ClockWatch::look(Steady::time_point steady) {
  std::unique_lock const lock{mutex_, std::try_to_lock};
  if (!lock || (seen_ && steady - seen_->steady < between_looks)) return;
  auto const now = clock_.now();
  auto const seen = std::exchange(seen_, Seen{now, steady});
  if (!seen) {
    if (auto const behind = static_cast<std::int64_t>(behind_s()); behind >= reported_from_s) {
      report("clock_behind", -behind, now);
    }
    return;
  }
  auto const passed = std::chrono::duration_cast<std::chrono::seconds>(steady - seen->steady).count();
  auto const by_s = now.seconds - seen->clock.seconds - passed;
  if (std::abs(by_s) >= reported_from_s) report("clock_jumped", by_s, now);
}

std::uint64_t ClockWatch::behind_s() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(engine_.snapshot().at().seconds - clock_.now().seconds, 0));
}

void ClockWatch::report(std::string_view event, std::int64_t by_s, schema::Time now) const {
  if (!log_) return;
  LogEvent line{.level = LogLevel::warning, .component = "server", .event = event, .data = {}};
  schema::json::Writer data{line.data};
  data.begin_object().member("by_s", by_s).member("clock", schema::format_rfc3339(now));
  data.member("last_commit", schema::format_rfc3339(engine_.snapshot().at())).end_object();
  if (now < engine_.snapshot().at()) line.error = "commit times stand still until the clock has caught up";
  log_(line);
}

}  // namespace whence::net
