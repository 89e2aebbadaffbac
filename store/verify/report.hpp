#pragma once
// The values of a check: what is wrong with a store, and how much was looked at.

#include "schema/base/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::store {

struct Problem {
  std::string where;  ///< "log 17", "record 3", "record 3 revision 1", "blob <hex>", "page", "checkpoint", "store"
  /// "chain", "digest", "row", "revision", "status", "missing", "extra", "decode", "edge", "blob", "page",
  /// "checkpoint", "crash", "open"
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

}  // namespace whence::store
