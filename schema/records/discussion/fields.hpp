#pragma once
// The field tables of the discussion records.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/discussion/records.hpp"

#include <cstdint>

namespace whence::schema {

inline constexpr Rule discussion_time_rule = rules::number(0, limits::integer_max);
/// Up to this round number the turns of a round are integers that every client can hold.
inline constexpr std::int64_t round_number_max = limits::integer_max / 3;
/// Round numbers that a request may name; a number below 1 is no round and is reported as one that does not follow.
inline constexpr Rule asked_round_rule = rules::number(-round_number_max, round_number_max);
inline constexpr Rule round_number_rule = rules::number(1, round_number_max);
inline constexpr Rule tokens_rule = rules::number(0, limits::integer_max);

template <>
struct Describe<Discussion> {
  using T = Discussion;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::id(), "Identity among the user's."),
      field("topic", &T::topic, Presence::optional, rules::any(), "What it is about."),
      field("createdAt", &T::created_at, Presence::optional, discussion_time_rule,
            "Milliseconds since the epoch; now where left out."),
      field("updatedAt", &T::updated_at, Presence::optional, discussion_time_rule,
            "Milliseconds since the epoch; now where left out."),
      field("isResolved", &T::is_resolved, Presence::optional, rules::any(), "Whether it is settled."),
      field("needsUserInput", &T::needs_user_input, Presence::optional, rules::any(), "Whether it waits for its user."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<ConversationMessage> {
  using T = ConversationMessage;
  static constexpr auto fields = std::tuple{
      field("persona", &T::persona, Presence::optional, rules::any(),
            "`Analyzer AI`, `Solver AI` or `Moderator AI`, as its place says."),
      field("turn", &T::turn, Presence::optional, rules::any(), "(round - 1) * 3 + 1, 2 or 3, as its place says."),
      field("content", &T::content, Presence::required, rules::any(), "What was said; not only white space."),
      field("timestamp", &T::timestamp, Presence::optional, discussion_time_rule, "Milliseconds since the epoch."),
  };
};

template <>
struct Describe<DiscussionRound> {
  using T = DiscussionRound;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
      field("roundNumber", &T::round_number, Presence::required, asked_round_rule, "Rounds so far plus 1."),
      field("timestamp", &T::timestamp, Presence::required, discussion_time_rule, "Milliseconds since the epoch."),
      field("analyzerResponse", &T::analyzer_response, Presence::required, rules::any(), "The first response."),
      field("solverResponse", &T::solver_response, Presence::required, rules::any(), "The second."),
      field("moderatorResponse", &T::moderator_response, Presence::required, rules::any(), "The third."),
      field("questions", &T::questions, Presence::optional, rules::any(),
            "Questions to the user: an object, kept as it is."),
      field("userAnswers", &T::user_answers, Presence::optional, rules::any(), "What the user answered."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<SummaryEntry> {
  using T = SummaryEntry;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion."),
      field("roundNumber", &T::round_number, Presence::required, asked_round_rule,
            "The last round it replaces: complete, and after the current summary's."),
      field("summary", &T::summary, Presence::required, rules::text(1, std::numeric_limits<std::size_t>::max()),
            "The text in the place of the rounds; not only white space."),
      field("replacesRounds", &T::replaces_rounds, Presence::required,
            rules::list_of(round_number_rule, 1, std::numeric_limits<std::size_t>::max()),
            "Ascending, each once; the last is `roundNumber`."),
      field("tokenCountBefore", &T::token_count_before, Presence::optional, tokens_rule,
            "Tokens of the context without it; computed where left out."),
      field("tokenCountAfter", &T::token_count_after, Presence::optional, tokens_rule,
            "Tokens of the context with it; computed where left out."),
      field("createdAt", &T::created_at, Presence::optional, discussion_time_rule,
            "Milliseconds since the epoch; now where left out."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

}  // namespace whence::schema
