// Each step reads how far the discussion is, refuses what does not come next, and plans a new vertex or a revision.
// Before its first response an open round is no vertex, only two members of the discussion: `open_round` and
// `open_questions`.

#include "engine/steps/rounds.hpp"

#include "engine/validation/discussion/answers.hpp"
#include "engine/validation/discussion/progress.hpp"
#include "graph/removal/holds.hpp"
#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::EdgeType;
using schema::RecordType;

Error precondition(std::string_view rule, std::string path, std::string seen, std::string message,
                   std::optional<std::int64_t> expected = {}) {
  return error_from(Violation{.code = Errc::precondition,
                              .rule = std::string(rule),
                              .path = std::move(path),
                              .seen = std::move(seen),
                              .message = std::move(message),
                              .expected = expected});
}

Error wrong_number(std::int64_t given, std::int64_t expected) {
  return precondition("round_number", "/roundNumber", schema::shown(given),
                      "the next round is " + std::to_string(expected), expected);
}

Error answers_too_late(std::int64_t number) {
  return precondition("round_open", "/roundNumber", schema::shown(number), too_late_message(number));
}

std::string round_ref(std::string_view user_id, std::string_view discussion_id, std::int64_t number) {
  return schema::format_ref(RecordType::discussion_round, schema::round_key(user_id, discussion_id, number));
}

/// The plan of one new vertex.
void plan_new(schema::Record record, std::vector<store::RowEdge> edges, graph::Snapshot const& known, Plan& plan) {
  plan.rows.push_back({.vertex = schema::VertexId{known.vertex_count()},
                       .type = schema::type_of(record),
                       .id = schema::node_id_of(record),
                       .time = schema::time_of(record),
                       .edges = std::move(edges)});
  plan.records.push_back(std::move(record));
}

/// What a discussion whose content is gone says from now on.
Discussion renewed(Discussion discussion, schema::VertexId vertex, ValidationContext const& context) {
  discussion.updated_at = schema::epoch_ms_of(context.now);
  discussion.created_at = schema::epoch_ms_of(context.known.time(vertex).value_or(context.now));
  return discussion;
}

/// The known discussion after an opening.
Discussion opened(Discussion const& known, RoundOpening const& step, std::int64_t number) {
  Discussion whole = known;
  if (step.discussion.topic) whole.topic = step.discussion.topic;
  whole.open_round = number;
  whole.open_questions = step.questions;
  return whole;
}

std::vector<store::RowEdge> edges_of_round(DiscussionRound const& round, schema::VertexId discussion,
                                           graph::Snapshot const& known) {
  std::vector<store::RowEdge> edges{{.type = EdgeType::part_of, .owner_is_from = true, .other = discussion}};
  auto const before = known.find(RecordType::discussion_round,
                                 schema::round_key(round.user_id, round.discussion_id, round.round_number - 1));
  if (before) edges.push_back({.type = EdgeType::follows, .owner_is_from = true, .other = *before});
  return edges;
}

/// An opening is used by one round. Where rounds before it were deleted since, that has another number than was said;
/// the opening would be one of a later round once this one is complete.
void plan_opening_used(Discussion whole, schema::VertexId vertex, std::int64_t number, graph::Snapshot const& known,
                       Plan& plan) {
  if (whole.open_round == number) return;
  whole.open_round = number;
  plan.revise(
      {.row = {.vertex = vertex, .type = RecordType::discussion, .revision = 0, .kind = schema::RevisionKind::whole},
       .content = whole,
       .whole = whole},
      known);
}

/// The round with one response more.
DiscussionRound with_response(DiscussionRound round, RoundResponse const& step, schema::EpochMs now) {
  auto message = step.message;
  if (!message.timestamp) message.timestamp = now;
  auto const at = *message.timestamp;
  round.*schema::speaker(step.persona).response = std::move(message);
  if (step.persona == schema::Persona::analyzer) round.timestamp = at;
  schema::name_speakers(round);
  return round;
}

}  // namespace

Result<Plan> open_round(RoundOpening const& step, ValidationContext const& context, Contents& contents) {
  auto const& asked = step.discussion;
  auto const vertex = context.known.find(RecordType::discussion, schema::node_id_of(asked));
  auto const progress = vertex ? progress_of(*vertex, context.known, contents) : DiscussionProgress{};
  if (!progress) return progress.error();
  auto const number = progress->next;
  if (progress->is_opened) {
    return precondition("round_open", "/roundNumber", schema::shown(number),
                        "round " + std::to_string(number) + " is open already");
  }
  if (step.round_number && *step.round_number != number) return wrong_number(*step.round_number, number);
  Plan plan;
  if (vertex) {
    auto const* const before = contents.find(*vertex);
    auto const known = before == nullptr ? renewed(asked, *vertex, context) : std::get<Discussion>(*before);
    auto whole = opened(known, step, number);
    plan.made = whole;
    plan.revise(
        {.row = {.vertex = *vertex, .type = RecordType::discussion, .revision = 0, .kind = schema::RevisionKind::whole},
         .content = whole,
         .whole = whole},
        context.known);
  } else {
    Discussion made = opened(asked, step, number);
    made.created_at = made.updated_at = schema::epoch_ms_of(context.now);
    plan.made = made;
    plan_new(std::move(made), {}, context.known, plan);
  }
  plan.refs.push_back(round_ref(asked.user_id, asked.discussion_id, number));
  return plan;
}

Result<Plan> answer_round(RoundAnswers const& step, ValidationContext const& context, Contents& contents) {
  auto const discussion = find_discussion(step.user_id, step.discussion_id, context.known);
  if (!discussion) return discussion.error();
  auto const progress = progress_of(*discussion, context.known, contents);
  if (!progress) return progress.error();
  auto const number = progress->complete;
  auto const vertex = context.known.find(RecordType::discussion_round,
                                         schema::round_key(step.user_id, step.discussion_id, step.round_number));
  if (step.round_number != number || !vertex) {
    if (number == 0) {
      return precondition("round_number", "/roundNumber", schema::shown(step.round_number), "no round is complete");
    }
    return precondition("round_number", "/roundNumber", schema::shown(step.round_number),
                        "the last complete round is " + std::to_string(number), number);
  }
  if (progress->is_opened) return answers_too_late(number);
  auto const record = contents.fetch_one(*vertex);
  if (!record) return record.error();
  if (*record == nullptr) return error_from(graph::gone_content(context.known, *vertex, "/roundNumber"));
  auto round = std::get<DiscussionRound>(**record);
  Plan plan;
  plan_answers({.questions = step.questions, .user_answers = step.user_answers}, *vertex, round, context.known, plan);
  plan.made = std::move(round);
  plan.refs.push_back(round_ref(step.user_id, step.discussion_id, number));
  return plan;
}

Result<Plan> abandon_round(RoundAbandoning const& step, ValidationContext const& context, Contents& contents) {
  auto const vertex = find_discussion(step.user_id, step.discussion_id, context.known);
  if (!vertex) return vertex.error();
  auto const progress = progress_of(*vertex, context.known, contents);
  if (!progress) return progress.error();
  auto const number = progress->next;
  if (progress->begun) {
    return precondition("round_open", "/discussionId", schema::shown(number),
                        "round " + std::to_string(number) + " has responses: it can be completed or deleted");
  }
  auto const* const before = contents.find(*vertex);
  if (!progress->is_opened || before == nullptr) {
    return precondition("round_open", "/discussionId", "", "no round is open");
  }
  auto whole = std::get<Discussion>(*before);
  auto const holds =
      graph::Holds::make(context.known, contents.reading(), {.read_query = &context.config.read_held_query});
  if (!holds) return holds.error();
  if (auto const free = holds->check_free({&*vertex, 1}, "/discussionId"); !free) return free.error();
  whole.open_round.reset();
  whole.open_questions.reset();
  Plan plan;
  plan.made = whole;
  plan.refs.push_back(round_ref(step.user_id, step.discussion_id, number));
  plan.revise(
      {.row = {.vertex = *vertex, .type = RecordType::discussion, .revision = 0, .kind = schema::RevisionKind::whole},
       .content = whole,
       .whole = whole},
      context.known);
  return plan;
}

Result<schema::SummaryEntry> compose_summary(RoundsSummary const& step, ValidationContext const& context,
                                             Contents& contents) {
  auto const vertex = find_discussion(step.user_id, step.discussion_id, context.known);
  if (!vertex) return vertex.error();
  auto const progress = progress_of(*vertex, context.known, contents);
  if (!progress) return progress.error();
  if (progress->complete == 0) {
    return precondition("round_number", "/roundNumber", schema::shown(step.round_number.value_or(0)),
                        "no round is complete");
  }
  schema::SummaryEntry summary{.user_id = step.user_id,
                               .discussion_id = step.discussion_id,
                               .round_number = step.round_number.value_or(progress->complete),
                               .summary = step.summary};
  auto const summaries = summaries_there(*vertex, context.known);
  auto const first = summaries.empty() ? 1 : summaries.back().number + 1;
  for (auto const& round : graph::rounds_of(context.known, *vertex)) {
    bool const is_replaced = round.number >= first && round.number <= summary.round_number;
    if (is_replaced) summary.replaces_rounds.push_back(round.number);
  }
  return summary;
}

Result<Plan> add_response(RoundResponse const& step, ValidationContext const& context, Contents& contents) {
  auto const discussion = find_discussion(step.user_id, step.discussion_id, context.known);
  if (!discussion) return discussion.error();
  auto const progress = progress_of(*discussion, context.known, contents);
  if (!progress) return progress.error();
  auto const number = progress->next;
  if (!progress->is_opened) {
    return precondition("round_open", "/roundNumber", schema::shown(step.round_number),
                        "no round is open: discussion.open comes first", number);
  }
  if (step.round_number != number) return wrong_number(step.round_number, number);
  DiscussionRound const blank{.user_id = step.user_id, .discussion_id = step.discussion_id, .round_number = number};
  auto const* const begun = progress->begun ? contents.find(progress->begun->vertex) : nullptr;
  auto const& before = begun != nullptr ? std::get<DiscussionRound>(*begun) : blank;
  auto const next = schema::next_speaker(before).value();
  if (step.persona != next) {
    return precondition("persona_order", "/persona", schema::shown(schema::speaker(step.persona).name),
                        "the next response is " + std::string(schema::speaker(next).name) + "'s");
  }
  auto const now = schema::epoch_ms_of(context.now);
  auto round = with_response(before, step, now);
  Plan plan;
  plan.made = round;
  plan.refs.push_back(round_ref(step.user_id, step.discussion_id, number));
  if (progress->begun) {
    plan.revise({.row = {.vertex = progress->begun->vertex,
                         .type = RecordType::discussion_round,
                         .revision = 0,
                         .kind = schema::RevisionKind::addition},
                 .content = with_response(blank, step, now),
                 .whole = round},
                context.known);
  } else {
    auto const* const opening = contents.find(*discussion);  // it is there: it says that a round is open
    if (opening != nullptr) round.questions = std::get<Discussion>(*opening).open_questions;
    plan.made = round;
    plan_new(round, edges_of_round(round, *discussion, context.known), context.known, plan);
    if (opening != nullptr) plan_opening_used(std::get<Discussion>(*opening), *discussion, number, context.known, plan);
  }
  return plan;
}

}  // namespace whence::engine
