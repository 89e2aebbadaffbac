#pragma once
// The results about discussions as page sources.

#include "queries/discussion/discussion.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, DiscussionContext&& context, DiscussionParams const& params);
[[nodiscard]] PageSource render(View const& view, DiscussionFacts&& facts, DiscussionGetParams const& params);
[[nodiscard]] PageSource render(View const& view, DiscussionPrompt&& prompt, DiscussionPromptParams const& params);
[[nodiscard]] PageSource render(View const& view, DiscussionTokens&& count, DiscussionParams const& params);

}  // namespace whence::queries
