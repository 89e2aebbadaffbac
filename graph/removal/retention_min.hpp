#pragma once
// How long contents are kept by type, and what is too young to be removed by anybody.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>

namespace whence::graph {

/// Times by record type; nothing: there is no rule. At least one second each.
struct RetentionRules {
  std::array<std::optional<std::chrono::seconds>, schema::record_type_count> kept_for = {};
  bool has_rule_of_rounds = false;  ///< one for discussion rounds alone, which go by their own age then

  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] std::optional<std::chrono::seconds> of(schema::RecordType type) const {
    return kept_for[static_cast<std::size_t>(type)];
  }
};

/// A rule as people write it, in the largest unit that divides it: `Response=30d`.
[[nodiscard]] std::string format_rule(schema::RecordType type, std::chrono::seconds kept_for);

/// Since when the content of `vertex` is as it is: the record's own time or the commit that wrote it; of a revised
/// record the last revision's, where that is later. O(1).
[[nodiscard]] schema::Time content_since(Snapshot const& known, schema::VertexId vertex);

/// How young contents may be at `now` for somebody to remove them. By default everything may go.
struct RetentionMin {
  RetentionRules rules = {};
  schema::Time now = {};

  /// Until when `vertex` must stay: nothing where no rule is of its type, it is old enough, or its content is gone.
  [[nodiscard]] std::optional<schema::Time> stays_until(Snapshot const& known, schema::VertexId vertex) const;
};

}  // namespace whence::graph
