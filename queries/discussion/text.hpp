#pragma once
// A discussion as text: the prompt a model is given, and the Markdown file people read. Both are blocks with one empty
// line between them, each text as it was written, one newline at the end. Pure functions of values.

#include "queries/discussion/params.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <span>
#include <string>

namespace whence::queries {

/// The prompt: the current summary, the rounds after it (an open one with the responses it has), the answers of the
/// user to these, `files`. What is absent or empty leaves no heading; empty where there is nothing at all.
[[nodiscard]] std::string prompt_text(schema::DiscussionState const& state, std::span<PromptFile const> files);

/// The file: the topic as the title, an outline of the discussion, all complete rounds, then all summaries.
[[nodiscard]] std::string markdown_text(schema::DiscussionState const& state, schema::TokenRules const& token_rules);

}  // namespace whence::queries
