// A session whose connection is a function call.

#include "net/session/waiting_call.hpp"

#include "net/session/session_state.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

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

std::string call_and_wait(ServiceState& state, std::string_view message, Grant grant, std::string peer,
                          std::shared_ptr<std::atomic<bool> const> is_cancelled) {
  CallHost host;
  SessionConfig config{.grant = std::move(grant),
                       .peer = std::move(peer),
                       .is_one_message = true,
                       .is_cancelled = std::move(is_cancelled)};
  auto const session = std::make_shared<SessionState>(state, std::move(config), host, true);
  session->on_text(message);
  std::string answer = host.wait();
  session->on_closed();
  return answer;
}

}  // namespace whence::net
