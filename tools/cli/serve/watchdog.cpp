// Rounds of questions to the threads that a server needs.

#include "tools/cli/serve/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace whence::tools {
namespace {

constexpr int rounds_in_time = 4;

}  // namespace

Watchdog::Watchdog(ServiceManager const& manager, net::Server& server, std::vector<engine::Engine*> const& engines,
                   std::string address, ServeLog& log)
    : manager_(manager),
      server_(server),
      address_(std::move(address)),
      log_(log),
      thread_(log.trouble_report(), "watchdog", "it begins again") {
  for (auto* const engine : engines) writers_.push_back({.engine = engine});
  auto const time = manager_.watchdog();
  if (!time) return;
  auto const period = std::max(*time / rounds_in_time, std::chrono::microseconds{1});
  thread_.start([this, period](std::stop_token const&) {
    look();
    return schema::WokenThread::Sleep{.least = period, .most = period};
  });
}

void Watchdog::look() {
  bool const is_first = io_waiting_ == nullptr;
  if (is_first) return ask();
  if (auto const silent = find_silent(); !silent.empty()) {
    if (!std::exchange(has_warned_, true)) {
      log_.write({.level = net::LogLevel::warning,
                  .component = "server",
                  .event = "not_answering",
                  .error = silent + "; the service manager hears nothing until that has changed"});
    }
    return;
  }
  if (std::exchange(has_warned_, false)) log_.write("answering");
  tell();
  ask();
}

void Watchdog::ask() {
  // One may answer before the last is asked, and before it is known how many there are: the sum is the same.
  auto const waiting = std::make_shared<std::atomic<std::size_t>>(0);
  auto const asked = server_.ask_io_threads([waiting] { waiting->fetch_sub(1); });
  waiting->fetch_add(asked);
  io_waiting_ = waiting;
  for (auto& writer : writers_) ask(writer);
}

/// `submit` calls back on this thread only where the inbox is full, and then before it returns.
void Watchdog::ask(Writer& writer) {
  writer.commits = writer.engine->metrics().commits;
  writer.has_answered = std::make_shared<std::atomic<bool>>(false);
  auto const here = std::this_thread::get_id();
  bool is_refused = false;
  writer.engine->submit(engine::WriteBatch{.dry_run = true},
                        [here, &is_refused, answered = writer.has_answered](Result<engine::WriteAnswer> const&) {
                          if (std::this_thread::get_id() == here) {
                            is_refused = true;
                          } else {
                            answered->store(true);
                          }
                        });
  writer.is_full = is_refused;
}

std::string Watchdog::find_silent() {
  if (io_waiting_->load() != 0) return std::to_string(io_waiting_->load()) + " I/O threads do not answer";
  for (auto& writer : writers_) {
    if (writer.has_answered->load()) continue;
    bool const goes_on = writer.is_full && writer.engine->metrics().commits != writer.commits;
    if (goes_on) continue;
    if (writer.is_full) ask(writer);
    return "the writer of " + writer.engine->directory().string() + " does not answer";
  }
  return {};
}

void Watchdog::tell() const {
  auto const tx = schema::number(writers_.front().engine->snapshot().tx());
  manager_.tell("WATCHDOG=1\nSTATUS=Serving " + address_ + ", transaction " + std::to_string(tx));
}

}  // namespace whence::tools
