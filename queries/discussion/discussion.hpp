#pragma once
// discussion.context, discussion.prompt and discussion.tokens: the part of a discussion that a model is shown.

#include "queries/discussion/params.hpp"
#include "queries/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::queries {

/// The current summary and the rounds after it, an open one too, as `state` has them.
struct DiscussionContext {
  schema::DiscussionState state = {};
  std::vector<NodeRef> refs = {};        ///< of the summary, then of the rounds
  std::int64_t tokens = 0;               ///< about
  std::vector<Violation> warnings = {};  ///< of the token check
};

/// The context as one text.
struct DiscussionPrompt {
  std::string text = {};
  std::vector<NodeRef> refs = {};        ///< of the records it was made from
  std::int64_t tokens = 0;               ///< about, of the context
  std::vector<Violation> warnings = {};  ///< of the token check
};

// All fail with `not_found` at "/discussionId", or with `corrupt`. O(rounds that ever were).

[[nodiscard]] Result<DiscussionContext> discussion_context(View const& view, DiscussionParams const& params,
                                                           Budget const& budget);
[[nodiscard]] Result<DiscussionPrompt> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                                         Budget const& budget);
[[nodiscard]] Result<schema::TokenCount> discussion_tokens(View const& view, DiscussionParams const& params,
                                                           Budget const& budget);

}  // namespace whence::queries
