// One `poll` waits for signals and for the reader of stdout.

#include "tools/cli/watch/end.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace whence::tools {
namespace {

constexpr int grace_ms = 1'000;
constexpr int forever = -1;

/// `poll` always reports both: the first for pipes, the second for sockets and terminals.
constexpr short gone = POLLERR | POLLHUP;

int open_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  return signalfd(-1, &ending, SFD_CLOEXEC);
}

int checked(int descriptor, char const* call) {
  if (descriptor < 0) throw std::system_error{errno, std::generic_category(), call};
  return descriptor;
}

}  // namespace

WatchEnd::WatchEnd(std::function<void()> stop)
    : stop_(std::move(stop)),
      signals_(checked(open_signals(), "signalfd")),
      done_(checked(eventfd(0, EFD_CLOEXEC), "eventfd")) {
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread{[this] { wait(); }};
}

WatchEnd::~WatchEnd() {
  eventfd_write(done_, 1);
  thread_.join();
  close(done_);
  close(signals_);
}

void WatchEnd::wait() {
  std::array<pollfd, 3> each = {
      {{.fd = signals_, .events = POLLIN, .revents = 0}, {STDOUT_FILENO, 0, 0}, {done_, POLLIN, 0}}};
  for (bool is_due = false; !is_due;) {
    if (poll(each.data(), each.size(), forever) < 0) continue;  // interrupted by another signal
    if ((each[2].revents & POLLIN) != 0) return;
    is_due = (each[0].revents & POLLIN) != 0 || (each[1].revents & gone) != 0;
    if ((each[1].revents & POLLNVAL) != 0) each[1].fd = -1;  // started without stdout: writing reports it
  }
  has_come_ = true;
  stop_();
  pollfd done = {.fd = done_, .events = POLLIN, .revents = 0};
  if (poll(&done, 1, grace_ms) == 0) std::_Exit(EXIT_SUCCESS);
}

bool is_reader_gone() {
  pollfd out = {.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&out, 1, 0) > 0 && (out.revents & gone) != 0;
}

void discard_output() {
  // Buffered output that the old file does not accept is dropped.
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(EXIT_SUCCESS);
}

}  // namespace whence::tools
