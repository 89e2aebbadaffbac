#pragma once
// discussion.context, discussion.prompt and discussion.tokens: the part of a discussion that a model is shown.
// discussion.get: the facts about it.

#include "queries/discussion/params.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

/// The current summary and the rounds after it, an open one too, as `state` has them.
struct DiscussionContext {
  schema::DiscussionState state = {};
  std::vector<NodeRef> refs = {};        ///< of the summary, then of the rounds
  std::vector<GoneNode> gone = {};       ///< what would be part of it, and the discussion itself
  std::int64_t tokens = 0;               ///< about
  std::vector<Violation> warnings = {};  ///< of the token check
};

/// The context as one text.
struct DiscussionPrompt {
  std::string text = {};
  std::vector<NodeRef> refs = {};        ///< of the records it was made from
  std::vector<GoneNode> gone = {};       ///< what would be part of it, and the discussion itself
  std::int64_t tokens = 0;               ///< about, of the context
  std::vector<Violation> warnings = {};  ///< of the token check
};

/// About how many tokens the context has.
struct DiscussionTokens {
  schema::TokenCount count = {};
  std::vector<GoneNode> gone = {};  ///< what would be counted, and the discussion itself
};

/// The state of a discussion.
struct DiscussionFacts {
  schema::DiscussionState state = {};              ///< its open round too
  std::optional<std::int64_t> current_round = {};  ///< that is open, also one without a response
  std::optional<schema::Persona> next = {};        ///< who speaks next in it
  std::optional<std::int64_t> current_turn = 0;    ///< of the last response; 0: none; nothing where that is gone
  std::int64_t token_count = 0;                    ///< of the context without the open round, as its file has it
  std::int64_t rounds = 0;                         ///< complete ones, those that are gone too
  std::vector<GoneNode> gone = {};                 ///< the discussion itself, its summaries and rounds
  std::string file_stem = {};  ///< `user/discussion`, relative to the folder; empty: there are no files
};

// All fail with `not_found` at "/discussionId", or with `corrupt`. O(rounds that ever were).

[[nodiscard]] Result<DiscussionContext> discussion_context(View const& view, DiscussionParams const& params,
                                                           Budget const& budget);
[[nodiscard]] Result<DiscussionPrompt> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                                         Budget const& budget);
[[nodiscard]] Result<DiscussionTokens> discussion_tokens(View const& view, DiscussionParams const& params,
                                                         Budget const& budget);

[[nodiscard]] Result<DiscussionFacts> discussion_get(View const& view, DiscussionGetParams const& params,
                                                     Budget const& budget);

}  // namespace whence::queries
