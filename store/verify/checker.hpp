#pragma once
// The walk over a whole store that trusts nothing. It may crash on a damaged file, so it runs in a child process
// (contained.hpp).

#include "store/verify/report.hpp"

#include <cstdint>
#include <filesystem>

namespace whence::store {

/// Receives what a check finds.
class CheckSink {
 public:
  virtual ~CheckSink() = default;
  virtual void add_problem(Problem const& problem) = 0;
  /// Called at least every few dozen entries: the check is alive.
  virtual void tick() = 0;
  /// The same, where it is known how many entries were looked at, of how many.
  virtual void count(std::uint64_t /*done*/, std::uint64_t /*total*/) { tick(); }
};

/// Checks the store in `directory` and returns the figures of what it walked; `problems` and `is_ok` are left to the
/// sink. With `is_live` another process may be writing: the state at the start is checked, under a reader's lock.
VerifyReport check_store(std::filesystem::path const& directory, bool is_live, CheckSink& sink);

}  // namespace whence::store
