#pragma once
// LMDB calls that fail on demand. The tests' own mdb_put and mdb_txn_commit replace the library's and pass on to
// it.

#include <cstddef>

namespace whence::test {

/// While it lives, the call of number `number` from now on (the first is 0) returns `code` and does nothing; the others
/// are the library's. One at a time, on one thread.
class FailingCall {
 public:
  FailingCall(std::size_t number, int code) noexcept;
  FailingCall(FailingCall const&) = delete;
  FailingCall& operator=(FailingCall const&) = delete;
  ~FailingCall();

  /// Whether so many calls were made that one failed.
  [[nodiscard]] bool has_failed() const noexcept;
};

}  // namespace whence::test
