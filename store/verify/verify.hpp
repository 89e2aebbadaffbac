#pragma once
// The check that trusts nothing: every hash, every link, every count of a store, done where a crash is contained.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"
#include "store/verify/report.hpp"

#include <filesystem>
#include <string>

namespace whence::store {

/// Checks the store in `directory` in a child process: the chain of hashes, each content's digest over row and content,
/// rows against records, revisions in order, deletions and statuses against the log, each blob against its name,
/// nothing missing, nothing extra. Damage is a report with
/// `is_ok == false`, also where the child died by a signal or hung. Fails with `not_found` where there is no store and
/// `conflict` where another process writes it and `allow_live` is false. With `allow_live` it checks the state at its
/// start. Fails as `interrupt` says, within a fraction of a second. `advance` is told how many entries were checked.
[[nodiscard]] Result<VerifyReport> verify(std::filesystem::path const& directory, bool allow_live = false,
                                          schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                          Advance const& advance = {});

/// Nothing where the store in `directory`, which no other program knows yet, holds; else `corrupt`: `what` ("the copy")
/// with the first problem. Leaves no file of locks behind. Fails as `interrupt` says.
[[nodiscard]] Result<void> require_verified(std::filesystem::path const& directory, std::string const& what,
                                            schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                            Advance const& advance = {});

}  // namespace whence::store
