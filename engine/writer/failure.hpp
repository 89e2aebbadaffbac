#pragma once
// Why the writer has stopped writing: set by its thread, read by any.

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace whence::engine {

/// A message that is set once and stays. Any thread may call any member.
class Failure {
 public:
  void set(std::string message) {
    std::lock_guard const lock(mutex_);
    message_ = std::move(message);
  }

  [[nodiscard]] std::optional<std::string> read() const {
    std::lock_guard const lock(mutex_);
    return message_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> message_;
};

}  // namespace whence::engine
