#pragma once
// Which contents are older than the operator keeps them.

#include "graph/removal/retention_min.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries {

/// How long contents are kept at most; of a type without a rule for ever.
using graph::RetentionRules;

/// A span of time as people write it: `90d`, `12h`, `30m` or `45s`, at least 1. Nothing on any other text.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);

/// Adds `90d` (all types) or `Response=30d` to `rules`; the unit is `d`, `h`, `m` or `s`. A rule of a type goes before
/// that of all, whatever their order. Fails with `invalid_params` on anything else, and where a type has two rules.
class RetentionParser {
 public:
  [[nodiscard]] Result<void> take(std::string_view text);
  [[nodiscard]] RetentionRules finish() const;

 private:
  std::optional<std::chrono::seconds> all_;
  RetentionRules named_;
};

/// That nothing is to expire before it may: fails with `invalid_params`, which names both rules, for the first type
/// whose rule in `rules` is shorter than that in `minimum`.
[[nodiscard]] Result<void> check_not_shorter(RetentionRules const& rules, RetentionRules const& minimum);

/// Contents that are to go, oldest first.
struct Expiry {
  struct Old {
    VertexId vertex;
    schema::Time since;  ///< graph::content_since
  };
  std::vector<Old> old = {};
  std::vector<VertexId> kept = {};  ///< as old, and kept since a young record names them
};

/// The nodes, deleted ones too, whose contents are there and older at `now` than the rules keep them, but for those
/// that are in use:
///
/// - what a record names that is young itself or has no rule: the sources of a response, the prompt of an answer, the
///   document of a chunk, the topic of a message. One step only. A version does not keep the one before, and what was
///   extracted does not keep what it was extracted from;
/// - all rounds and summaries of a discussion whose newest round is young;
/// - templates that never became inactive.
///
/// Fails as the interrupt says. O(nodes of the types that have rules, and the edges of those that are old).
[[nodiscard]] Result<Expiry> find_expired(Snapshot const& snapshot, RetentionRules const& rules, schema::Time now,
                                          schema::Interrupt const& interrupt);

}  // namespace whence::queries
