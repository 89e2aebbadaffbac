#pragma once
// Questions and answers that a complete round gains later, as a revision.

#include "engine/plan/plan.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/discussion/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// What is given to a round; what is left out stays as it is, what is cleared goes.
struct GivenAnswers {
  std::optional<schema::QuestionSet> questions = {};
  std::optional<std::vector<std::string>> user_answers = {};
  bool clears_questions = false;
  bool clears_user_answers = false;
};

/// Makes `round`, the present content of `vertex`, hold what is given. Plans a revision where that changes it.
/// `rows_before`: new records of the batch that precede it.
void plan_answers(GivenAnswers const& given, schema::VertexId vertex, schema::DiscussionRound& round,
                  graph::Snapshot const& known, Plan& plan, std::uint32_t rows_before = store::all_rows);

/// Why a round whose successor is open takes no answers.
[[nodiscard]] std::string too_late_message(std::int64_t round_number);

}  // namespace whence::engine
