// Making a service, and calling it without a connection.

#include "net/service.hpp"

#include "net/service_state.hpp"
#include "net/session/session_state.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include <malloc.h>

namespace whence::net {

namespace {

/// A connection that is a function call: keeps the one answer, runs posted tasks on the calling thread.
class CallHost final : public SessionHost {
 public:
  void send(std::string text) override { answer_ = std::move(text); }
  void close(std::uint16_t /*code*/, std::string_view /*reason*/) override {}
  void post(std::function<void()> task) override {
    {
      std::lock_guard const lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    posted_.notify_one();
  }
  void on_idle() override { is_idle_ = true; }

  /// Runs what is posted until nothing is in flight; then the answer, if there is one.
  [[nodiscard]] std::string wait() {
    while (!is_idle_) {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [this] { return !tasks_.empty(); });
      auto const task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    return std::move(answer_);
  }

 private:
  std::string answer_;
  bool is_idle_ = false;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> tasks_;  ///< guarded by mutex_
};

}  // namespace

Service::Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock)
    : state_(std::make_unique<ServiceState>(engine, config, clock)) {}

Service::~Service() = default;

std::string Service::call(std::string_view message, Role role) {
  CallHost host;
  auto const session =
      std::make_shared<SessionState>(*state_, SessionConfig{.role = role, .is_one_message = true}, host, true);
  session->on_text(message);
  std::string answer = host.wait();
  session->on_closed();
  return answer;
}

std::string const& Service::openrpc() const {
  return state_->openrpc;
}

std::uint64_t Service::subscriptions() const {
  return state_->subscriptions;
}

FollowerMetrics Service::files() const {
  return state_->files->metrics();
}

capture::CaptureCounts Service::captured() const {
  return state_->capture.counts();
}

std::optional<engine::JobFile> Service::find_export(std::string const& job, std::string_view name) const {
  return state_->jobs.find_file(job, name);
}

MemoryBudget& Service::memory() noexcept {
  return state_->memory;
}
MemoryBudget const& Service::memory() const noexcept {
  return state_->memory;
}
void Service::trim_memory() {
  if (!state_->memory.take_trim()) return;
  state_->upkeep.post(
      [] { ::malloc_trim(0); });  // the allocator keeps what was freed; this takes milliseconds a gigabyte
}
void Service::look_at_clock() {
  state_->clock_watch.look();
}
std::uint64_t Service::clock_behind_s() const {
  return state_->clock_watch.behind_s();
}
bool Service::is_retention_held() const noexcept {
  return state_->retention.is_held();
}
RequestMetrics const& Service::request_metrics() const {
  return state_->metrics;
}

}  // namespace whence::net
