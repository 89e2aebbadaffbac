#pragma once
// A value that is replaced as a whole while others use it.

#include <memory>
#include <mutex>
#include <utility>

namespace whence::net {

/// Any thread may call any member. A caller keeps a value as long as it needs it.
template <class T>
class Current {
 public:
  explicit Current(std::shared_ptr<T> value) : value_{std::move(value)} {}

  [[nodiscard]] std::shared_ptr<T> get() const {
    std::lock_guard const lock(mutex_);
    return value_;
  }

  void replace(std::shared_ptr<T> value) {
    std::lock_guard const lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<T> value_;
};

}  // namespace whence::net
