#pragma once
// What can be said of a record by looking at it alone: bounds of each member from its field table, and the rules that
// join members (weights sum to 1, a manifest agrees with itself). What needs the state stands in engine/impl.

#include "schema/error.hpp"
#include "schema/records.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <vector>

namespace whence::schema {

/// What the checks compare with.
struct CheckContext {
  Time latest_time;  ///< now plus the tolerance: a later record time is refused (rule "future")
};

/// A record as it came in: the value, and what was already wrong with its text. Members whose text was unusable have
/// their default here and a violation there.
struct IncomingRecord {
  Record record;
  std::vector<Violation> violations = {};  ///< `index` is not set
  bool is_usable = true;  ///< false: not even a record (no object, unknown `$type$`); `record` is meaningless
};

/// Appends every rule of `incoming.record` that does not hold, besides those already there for the same path, to
/// `incoming.violations`. Rules: "length", "range", "id", "prefix", "items", "utf8", "weight_sum", "duplicate_unit",
/// "duplicate_source", "duplicate_subject", "duplicate_keyword", "version_link", "summary_id", "hash", "blob",
/// "xml_twice", "required", "ref", "future", "manifest_mismatch", "size". O(size of the record).
void check(IncomingRecord& incoming, CheckContext const& context);

/// |sum - 1| <= 0.01 + 1e-9, in binary64.
[[nodiscard]] bool is_weight_sum(double sum) noexcept;

}  // namespace whence::schema
