#pragma once
// File calls that fail, or end the process, on demand. The tests' own openat, write, renameat and so on replace
// the library's and pass on to it.

#include <cstddef>
#include <string>
#include <vector>

namespace whence::test {

/// What becomes of the call at which a fault strikes. A write does half its work first.
enum class FileFault { none, fails, fails_from_then_on, ends_the_process };

/// The exit code of a process that a fault ended.
inline constexpr int exit_by_fault = 42;

/// While it lives, the file calls of this thread are counted and noted, and the one of number `number` (the first is 0)
/// meets the fault; with `fails`, the one of number `also` too, where given and later. Counted are openat, mkdirat,
/// fstatat, read, write, pwrite, fsync, fdatasync, linkat, renameat and unlinkat. One at a time.
class FileCalls {
 public:
  explicit FileCalls(FileFault fault = FileFault::none, std::size_t number = 0, int code = 0, std::size_t also = 0);
  FileCalls(FileCalls const&) = delete;
  FileCalls& operator=(FileCalls const&) = delete;
  ~FileCalls();

  /// Whether so many calls were made that the fault struck.
  [[nodiscard]] bool has_struck() const noexcept;

  /// "renameat a.json": the call, and the last part of the name it works on or towards.
  [[nodiscard]] std::vector<std::string> const& noted() const noexcept;
};

}  // namespace whence::test
