// A signal handler may do little more than set a lock-free flag, which has to be global.

#include "tools/cli/process/stop_signal.hpp"

namespace whence::tools {
namespace {

std::atomic<bool> is_stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int) {
  is_stopped = true;
}

}  // namespace

StopSignal::StopSignal() {
  is_stopped = false;
  struct sigaction action = {};
  action.sa_handler = note;
  ::sigaction(SIGINT, &action, &before_interrupt_);
  ::sigaction(SIGTERM, &action, &before_terminate_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
}

schema::Stop StopSignal::check(std::uint64_t) const noexcept {
  return is_stopped ? schema::Stop::cancelled : schema::Stop::none;
}

std::atomic<bool> const& StopSignal::has_come() const noexcept {
  return is_stopped;
}

}  // namespace whence::tools
