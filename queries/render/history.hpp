#pragma once
// The results about versions, history and feedback as page sources.

#include "queries/history/feedback.hpp"
#include "queries/history/history.hpp"
#include "queries/history/versions.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, VersionChain&& chain, VersionsListParams const& params);
[[nodiscard]] PageSource render(View const& view, VersionsDifference&& difference, VersionsDiffParams const& params);
[[nodiscard]] PageSource render(View const& view, History&& history, HistoryParams const& params);
[[nodiscard]] PageSource render(View const& view, Feedback&& feedback, FeedbackListParams const& params);

}  // namespace whence::queries
