#pragma once
// The check that trusts nothing: every hash, every link, every count of a store, done where a crash is contained.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whence::store {

struct Problem {
  std::string where;  ///< "log 17", "record 3", "record 3 revision 1", "blob <hex>", "page", "store"
  /// "chain", "digest", "row", "revision", "status", "missing", "extra", "decode", "edge", "blob", "page", "crash",
  /// "open"
  std::string rule;
  std::string message;
};

struct VerifyReport {
  bool is_ok = true;
  schema::TxId tx = schema::TxId{0};
  std::uint64_t entries = 0;
  std::uint64_t records = 0;  ///< contents, every revision counted
  std::uint64_t blobs = 0;
  std::uint64_t edges = 0;
  std::vector<Problem> problems = {};  ///< at most 100
};

/// Checks the store in `directory` in a child process: the chain of hashes, each content's digest over row and content,
/// rows against records, revisions in order, deletions and statuses against the log, each blob against its name,
/// nothing missing, nothing extra. Damage is a report with
/// `is_ok == false`, also where the child died by a signal or hung. Fails with `not_found` where there is no store and
/// `conflict` where another process writes it and `allow_live` is false. With `allow_live` it checks the state at its
/// start.
[[nodiscard]] Result<VerifyReport> verify(std::filesystem::path const& directory, bool allow_live = false);

}  // namespace whence::store
