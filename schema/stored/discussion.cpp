// Personas and turns are not stored: they follow from the place of a response and the number of its round.
#include "schema/stored/discussion.hpp"

#include "schema/stored/record_parts.hpp"

namespace whence::schema::stored {
namespace {

void fill(wire::DiscussionRound::Response::Builder out, ConversationMessage const& response) {
  out.setContent(text(response.content));
  if (!response.timestamp) return;
  out.setTimestampMs(response.timestamp->value);
  out.setHasTimestamp(true);
}

ConversationMessage read(wire::DiscussionRound::Response::Reader in) {
  ConversationMessage response{.content = read_text(in.getContent())};
  if (in.getHasTimestamp()) response.timestamp = EpochMs{in.getTimestampMs()};
  return response;
}

template <class SetText, class SetSorted>
void fill_questions(std::optional<QuestionSet> const& questions, SetText const& set_text, SetSorted const& set_sorted) {
  if (!questions) return;
  set_text(text(questions->json));
  if (!questions->sorted.empty()) set_sorted(text(questions->sorted));
}

}  // namespace

void fill(wire::Discussion::Builder out, Discussion const& discussion) {
  if (discussion.topic) out.setTopic(text(*discussion.topic));
  fill_created_at(out, discussion.created_at);
  fill_updated_at(out, discussion.updated_at);
  if (discussion.is_resolved) {
    out.setIsResolved(*discussion.is_resolved);
    out.setHasIsResolved(true);
  }
  if (discussion.needs_user_input) {
    out.setNeedsUserInput(*discussion.needs_user_input);
    out.setHasNeedsUserInput(true);
  }
  fill_attributes(out, discussion.attributes);
  out.setOpenRound(discussion.open_round.value_or(0));
  fill_questions(
      discussion.open_questions, [&](auto value) { out.setOpenQuestions(value); },
      [&](auto value) { out.setSortedOpenQuestions(value); });
}

void fill(wire::DiscussionRound::Builder out, DiscussionRound const& round) {
  out.setTimestampMs(round.timestamp.value);
  if (round.analyzer_response) fill(out.initAnalyzer(), *round.analyzer_response);
  if (round.solver_response) fill(out.initSolver(), *round.solver_response);
  if (round.moderator_response) fill(out.initModerator(), *round.moderator_response);
  fill_questions(
      round.questions, [&](auto value) { out.setQuestions(value); },
      [&](auto value) { out.setSortedQuestions(value); });
  if (round.user_answers) {
    fill_texts(out.initUserAnswers(static_cast<unsigned>(round.user_answers->size())), *round.user_answers);
  }
  fill_attributes(out, round.attributes);
}

void fill(wire::SummaryEntry::Builder out, SummaryEntry const& summary) {
  out.setSummary(text(summary.summary));
  auto rounds = out.initReplacesRounds(static_cast<unsigned>(summary.replaces_rounds.size()));
  for (std::uint32_t i = 0; i < rounds.size(); ++i) rounds.set(i, summary.replaces_rounds[i]);
  if (summary.token_count_before) {
    out.setTokenCountBefore(*summary.token_count_before);
    out.setHasTokenCountBefore(true);
  }
  if (summary.token_count_after) {
    out.setTokenCountAfter(*summary.token_count_after);
    out.setHasTokenCountAfter(true);
  }
  fill_created_at(out, summary.created_at);
  fill_attributes(out, summary.attributes);
}

void read(wire::Discussion::Reader in, Discussion& discussion) {
  discussion.topic = read_text(in.hasTopic(), in.getTopic());
  discussion.created_at = read_created_at(in);
  discussion.updated_at = read_updated_at(in);
  if (in.getHasIsResolved()) discussion.is_resolved = in.getIsResolved();
  if (in.getHasNeedsUserInput()) discussion.needs_user_input = in.getNeedsUserInput();
  discussion.attributes = read_attributes(in);
  if (in.getOpenRound() != 0) discussion.open_round = read_count(in.getOpenRound());
  if (in.hasOpenQuestions()) {
    discussion.open_questions = QuestionSet{.json = read_text(in.getOpenQuestions()), .sorted = {}};
    if (in.hasSortedOpenQuestions()) discussion.open_questions->sorted = read_text(in.getSortedOpenQuestions());
  }
}

void read(wire::DiscussionRound::Reader in, DiscussionRound& round) {
  round.timestamp = EpochMs{in.getTimestampMs()};
  if (in.hasAnalyzer()) round.analyzer_response = read(in.getAnalyzer());
  if (in.hasSolver()) round.solver_response = read(in.getSolver());
  if (in.hasModerator()) round.moderator_response = read(in.getModerator());
  if (in.hasQuestions()) {
    round.questions = QuestionSet{.json = read_text(in.getQuestions()), .sorted = {}};
    if (in.hasSortedQuestions()) round.questions->sorted = read_text(in.getSortedQuestions());
  }
  if (in.hasUserAnswers()) round.user_answers = read_texts(in.getUserAnswers());
  round.attributes = read_attributes(in);
}

void read(wire::SummaryEntry::Reader in, SummaryEntry& summary) {
  summary.summary = read_text(in.getSummary());
  for (auto const number : in.getReplacesRounds()) summary.replaces_rounds.push_back(read_count(number));
  if (in.getHasTokenCountBefore()) summary.token_count_before = read_count(in.getTokenCountBefore());
  if (in.getHasTokenCountAfter()) summary.token_count_after = read_count(in.getTokenCountAfter());
  summary.created_at = read_created_at(in);
  summary.attributes = read_attributes(in);
}

}  // namespace whence::schema::stored
