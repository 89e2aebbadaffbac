#pragma once
// The way back to a connection from other threads.

#include "net/work/session_host.hpp"

#include <functional>
#include <mutex>
#include <utility>

namespace whence::net {

/// The way back to a connection from other threads, as long as there is one.
class HostLink {
 public:
  explicit HostLink(SessionHost& host) : host_(&host) {}
  /// From any thread.
  void post(std::function<void()> task) {
    std::lock_guard const lock(mutex_);
    if (host_ != nullptr) host_->post(std::move(task));
  }
  void cut() {
    std::lock_guard const lock(mutex_);
    host_ = nullptr;
  }

 private:
  std::mutex mutex_;
  SessionHost* host_;  ///< guarded by mutex_
};

}  // namespace whence::net
