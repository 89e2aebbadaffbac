#include "engine/validation/discussion/answers.hpp"

namespace whence::engine {

void plan_answers(GivenAnswers const& given, schema::VertexId vertex, schema::DiscussionRound& round,
                  graph::Snapshot const& known, Plan& plan, std::uint32_t rows_before) {
  schema::DiscussionRound added{
      .user_id = round.user_id, .discussion_id = round.discussion_id, .round_number = round.round_number};
  if (given.questions && given.questions != round.questions) added.questions = round.questions = given.questions;
  if (given.user_answers && given.user_answers != round.user_answers) {
    added.user_answers = round.user_answers = given.user_answers;
  }
  bool const is_cleared =
      (given.clears_questions && round.questions) || (given.clears_user_answers && round.user_answers);
  if (given.clears_questions) round.questions.reset();
  if (given.clears_user_answers) round.user_answers.reset();
  if (!added.questions && !added.user_answers && !is_cleared) return;
  if (is_cleared) added = round;  // nothing can be added that takes something away
  plan.revise({.row = {.vertex = vertex,
                       .type = schema::RecordType::discussion_round,
                       .revision = 0,
                       .kind = is_cleared ? schema::RevisionKind::whole : schema::RevisionKind::addition,
                       .rows_before = rows_before},
               .content = std::move(added),
               .whole = round},
              known);
}

std::string too_late_message(std::int64_t round_number) {
  auto const number = std::to_string(round_number);
  return "round " + std::to_string(round_number + 1) + " is open: the questions and answers of round " + number +
         " are final";
}

}  // namespace whence::engine
