#include "schema/threads/woken_thread.hpp"

#include <utility>

namespace whence::schema {

WokenThread::WokenThread(TroubleReport report, std::string_view thread, std::string_view goes_on)
    : guard_{std::move(report), thread, goes_on} {}

WokenThread::~WokenThread() {
  stop();
}

void WokenThread::start(Work work, std::function<void()> begin) {
  thread_ = std::thread{[this, work = std::move(work), begin = std::move(begin)] {
    if (begin) guard_.run(begin);
    keep_working(work);
  }};
}

void WokenThread::wake() {
  {
    std::scoped_lock const lock{mutex_};
    if (is_woken_) return;
    is_woken_ = true;
  }
  wakes_.notify_one();
}

void WokenThread::request_stop() {
  stop_.request_stop();
}

void WokenThread::stop() {
  request_stop();
  if (thread_.joinable()) thread_.join();
}

void WokenThread::keep_working(Work const& work) {
  auto const stop = stop_.get_token();
  Sleep sleep;
  while (!stop.stop_requested()) {
    {
      std::scoped_lock const lock{mutex_};
      is_woken_ = false;
    }
    guard_.run([&] { sleep = work(stop); });
    std::unique_lock lock{mutex_};
    if (sleep.least > Duration{}) wakes_.wait_for(lock, stop, sleep.least, [] { return false; });
    auto const is_woken = [this] { return is_woken_; };
    if (!sleep.most) {
      wakes_.wait(lock, stop, is_woken);
    } else if (*sleep.most > sleep.least) {
      wakes_.wait_for(lock, stop, *sleep.most - sleep.least, is_woken);
    }
  }
}

}  // namespace whence::schema
