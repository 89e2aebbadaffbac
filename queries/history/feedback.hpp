#pragma once
// feedback.list: the feedback that a response or an answer got, or that reached a unit, a chunk or a document through
// them.

#include "queries/history/params.hpp"
#include "queries/view/score.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <variant>
#include <vector>

namespace whence::queries {

struct Feedback {
  std::vector<VertexId> records = {};              ///< in order of commit
  std::variant<graph::UnitState, ScoreSum> score;  ///< of a source, of what is rated
};

/// Fails with `not_found` at "/ref", with `invalid_params` ("type") on a node of another type, or as the interrupt
/// says. O(relations of the responses and answers).
[[nodiscard]] Result<Feedback> feedback_list(View const& view, FeedbackListParams const& params, Budget const& budget);

}  // namespace whence::queries
