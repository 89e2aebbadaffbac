#pragma once
// Which contents are older than the operator keeps them.

#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries {

/// How long contents are kept, by type; nothing: for ever.
struct RetentionRules {
  std::array<std::optional<std::chrono::seconds>, schema::record_type_count> kept_for = {};
  bool has_rule_of_rounds = false;  ///< one for discussion rounds alone, which go by their own age then

  [[nodiscard]] bool is_empty() const;
};

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

/// Contents that are to go, oldest first.
struct Expiry {
  struct Old {
    VertexId vertex;
    schema::Time since;  ///< the record's own time or the commit that wrote it; of a revised record the last revision's
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
