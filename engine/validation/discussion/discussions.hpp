#pragma once
// The rules between the rounds and summaries of a discussion (S2): rounds follow each other, an open one is finished
// first, a summary reaches beyond the one before.

#include "engine/plan/candidates.hpp"
#include "engine/state/contents.hpp"
#include "engine/plan/findings.hpp"
#include "graph/snapshot/discussion.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::engine {

/// Where a known discussion stands.
struct DiscussionProgress {
  std::int64_t complete = 0;  ///< the number of its last complete round
  /// The round that has some of its responses.
  std::optional<graph::NumberedVertex> begun = {};
  bool is_opened = false;  ///< the round after `complete` was opened, whether it has a response yet or not
};

/// Fails where the store does.
[[nodiscard]] Result<DiscussionProgress> progress_of(VertexId discussion, graph::Snapshot const& known,
                                                     Contents& contents);

/// A known discussion with those of its rounds and summaries that make up its context: the current summary and the
/// rounds after it. Fails where the store does.
[[nodiscard]] Result<schema::DiscussionState> context_of(VertexId discussion, graph::Snapshot const& known,
                                                         Contents& contents);

/// Holds every new round and summary of a batch, and each that says other than what is known under its number
/// (`changed`), against its discussion: `precondition` "round_number" with the number expected, "round_open" for a
/// whole round while one is open, "round_number" for a summary that does not reach beyond the current one or is of no
/// complete round; "unknown_reference" for a replaced round that is not there. Fills in the token counts that new
/// summaries leave out and warns ("token_count") of others than computed. Fails where the store does.
[[nodiscard]] Result<void> check_discussions(Candidates const& candidates, std::vector<Candidate const*> const& changed,
                                             schema::TokenRules const& rules, Contents& contents, Findings& findings);

}  // namespace whence::engine
