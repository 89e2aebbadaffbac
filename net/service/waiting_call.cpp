// A session whose connection is a function call.

#include "net/service/waiting_call.hpp"

#include "net/session/session_state.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace whence::net {

namespace {

/// How long a cancellation may have to wait: nothing wakes a call for that.
constexpr std::chrono::milliseconds cancelled_within{50};

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

  /// Runs what is posted until nothing is in flight; then the answer, if there is one. Nothing where `is_cancelled`,
  /// unless it is null, is set before.
  [[nodiscard]] std::string wait(std::atomic<bool> const* is_cancelled) {
    while (!is_idle_) {
      std::unique_lock lock(mutex_);
      while (!posted_.wait_for(lock, cancelled_within, [this] { return !tasks_.empty(); })) {
        if (is_cancelled != nullptr && *is_cancelled) return {};
      }
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

std::string call_and_wait(ServiceState& state, std::string_view message, Grant grant, std::string peer,
                          std::shared_ptr<std::atomic<bool> const> const& is_cancelled,
                          std::shared_ptr<PeerMemory> memory) {
  CallHost host;
  SessionConfig config{.grant = std::move(grant),
                       .peer = std::move(peer),
                       .memory = std::move(memory),
                       .is_one_message = true,
                       .is_cancelled = is_cancelled};
  auto const session = std::make_shared<SessionState>(state, std::move(config), host, true);
  session->on_text(message);
  std::string answer = host.wait(is_cancelled.get());
  session->on_closed();
  return answer;
}

}  // namespace whence::net
