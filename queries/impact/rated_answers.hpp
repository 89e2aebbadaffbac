#pragma once
// The rated responses and answers that impact.blame compares.

#include "queries/impact/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <vector>

namespace whence::queries {

/// A response or an answer, an act once: as its response.
struct RatedAnswer {
  VertexId vertex;
  bool is_bad;
  bool is_named;  ///< it is bad, and one of `BlameParams::responses`
};

/// In order of commit; as `impact_blame` says. O(responses and answers, and their relations).
[[nodiscard]] Result<std::vector<RatedAnswer>> rated_answers(View const& view, BlameParams const& params,
                                                             Budget const& budget);

}  // namespace whence::queries
