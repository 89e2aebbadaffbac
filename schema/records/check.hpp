#pragma once
// What can be said of a record by looking at it alone: bounds of each member from its field table, and the rules that
// join members (weights sum to 1, a manifest agrees with itself). What needs the state stands in engine/impl.

#include "schema/base/error.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/records.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The model whose embeddings are taken where nothing else is configured.
inline constexpr std::string_view default_embedding_model = "all-MiniLM-L6-v2";

/// What the checks compare with.
struct CheckContext {
  Time latest_time;  ///< now plus the tolerance: a later record time is refused (rule "future")
  std::vector<std::string> embedding_models = {std::string(default_embedding_model)};
  double confidence_min = limits::confidence_min;  ///< below it the text of an answer is dropped
};

/// A record as it came in: the value, and what was already wrong with its text. Members whose text was unusable have
/// their default here and a violation there.
struct IncomingRecord {
  Record record;
  std::vector<Violation> violations = {};  ///< `index` is not set
  bool is_usable = true;  ///< false: not even a record (no object, unknown `$type$`); `record` is meaningless
};

/// First puts what may be left out or said in several ways into its one form (a question without white space around it,
/// the personas and turns of a round, an answer that says nothing was found). Then appends every rule of `incoming.record` that does not hold, besides those already there for the same path, to
/// `incoming.violations`. Rules: "length", "range", "id", "prefix", "items", "utf8", "weight_sum", "duplicate_unit",
/// "duplicate_source", "duplicate_subject", "duplicate_keyword", "version_link", "summary_id", "hash", "blob",
/// "xml_twice", "required", "ref", "future", "manifest_mismatch", "size", and those of S2, S4 and PROV named in
/// impl/check_joined.hpp. O(size of the record).
void check(IncomingRecord& incoming, CheckContext const& context);

/// |sum - 1| <= 0.01 + 1e-9, in binary64.
[[nodiscard]] bool is_weight_sum(double sum) noexcept;

}  // namespace whence::schema
