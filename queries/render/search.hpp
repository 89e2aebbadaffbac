#pragma once
// What a search found as a page source.

#include "queries/render/page_source.hpp"
#include "queries/search/text_search.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, TextMatches&& matches, SearchParams const& params);

}  // namespace whence::queries
