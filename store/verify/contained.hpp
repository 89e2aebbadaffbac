#pragma once
// Running a check in a forked child that reports through a pipe, so that a crash does no harm.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"
#include "store/verify/checker.hpp"
#include "store/verify/report.hpp"

#include <functional>

namespace whence::store {

/// Runs `check` in a child process and returns its report, problems included (at most 100). A child that dies by a
/// signal, throws, stops ticking for ten seconds or breaks off is itself a problem of rule "crash"; its earlier
/// problems are kept. Where `interrupt` says so the child is ended: fails with its reason. Throws std::system_error
/// where no child can be made. `advance` is told how many entries were checked.
///
/// The child of a process with threads inherits locks that other threads held at that instant. LMDB, Cap'n Proto and
/// malloc are safe after a fork; should some lock deadlock the child before its first tick, one more child is tried.
[[nodiscard]] Result<VerifyReport> run_contained(std::function<VerifyReport(CheckSink&)> const& check,
                                                 schema::Interrupt const& interrupt, Advance const& advance = {});

}  // namespace whence::store
