#pragma once
// Parts of discussion `user-1/disc-1` for the tests of reads of discussions.

#include "schema/records/discussion/discussion.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

inline schema::Discussion discussion(std::optional<std::string> topic = "How to test") {
  return {.user_id = "user-1",
          .discussion_id = "disc-1",
          .topic = std::move(topic),
          .created_at = schema::EpochMs{0},
          .updated_at = schema::EpochMs{0}};
}

/// A round with the responses of its first speakers; three make it complete.
inline schema::DiscussionRound round_of(std::int64_t number, std::vector<std::string> contents,
                                        std::optional<std::vector<std::string>> answers = std::nullopt) {
  schema::DiscussionRound round{.user_id = "user-1",
                                .discussion_id = "disc-1",
                                .round_number = number,
                                .timestamp = schema::EpochMs{number},
                                .user_answers = std::move(answers)};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    round.*schema::speakers()[i].response =
        schema::ConversationMessage{.content = std::move(contents[i]), .timestamp = schema::EpochMs{number}};
  }
  schema::name_speakers(round);
  return round;
}

/// The summary of all rounds up to `number`.
inline schema::SummaryEntry summary_of(std::int64_t number, std::string text) {
  schema::SummaryEntry summary{.user_id = "user-1",
                               .discussion_id = "disc-1",
                               .round_number = number,
                               .summary = std::move(text),
                               .token_count_before = 328,
                               .token_count_after = 256,
                               .created_at = schema::EpochMs{3}};
  for (std::int64_t each = 1; each <= number; ++each) summary.replaces_rounds.push_back(each);
  return summary;
}

/// The discussion whose Markdown the tests compare.
inline schema::DiscussionState example_discussion() {
  return {.discussion = discussion(),
          .rounds = {round_of(1, {"a", "b", "c"}, {{"yes"}})},
          .summaries = {summary_of(1, "What round 1 said.")}};
}

}  // namespace whence::test
