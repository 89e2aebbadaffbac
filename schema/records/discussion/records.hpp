#pragma once
// Discussion records: discussions of three personas, their rounds, and the summaries that take the place of rounds.
// Values only; what follows from them (turns, tokens, the current summary) is in discussion.hpp, the rules for clients
// in schema/records/README.md.

#include "schema/base/free_json.hpp"
#include "schema/base/time.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// A discussion. May be written again: everything but its two ids is then replaced.
struct Discussion {
  std::string user_id = {};
  std::string discussion_id = {};
  std::optional<std::string> topic = {};
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  std::optional<EpochMs> updated_at = {};  ///< the server puts now
  std::optional<bool> is_resolved = {};
  std::optional<bool> needs_user_input = {};
  std::optional<Attributes> attributes = {};
  /// The round that `discussion.open` asked for last; not on the wire. A round of this number or above makes it stale.
  std::optional<std::int64_t> open_round = {};
  /// The questions it was opened with; not on the wire. They move to the round with its first response.
  std::optional<QuestionSet> open_questions = {};

  static constexpr RecordType record_type = RecordType::discussion;
  static constexpr std::array<std::string_view, 2> members_in_id = {"userId", "discussionId"};
  friend bool operator==(Discussion const&, Discussion const&) = default;
};

/// The message of one persona; its place in the round says whose it is.
struct ConversationMessage {
  std::optional<std::string> persona = {};  ///< filled in where left out
  std::optional<std::int64_t> turn = {};    ///< filled in where left out
  std::string content = {};
  std::optional<EpochMs> timestamp = {};

  friend bool operator==(ConversationMessage const&, ConversationMessage const&) = default;
};

/// One round: three responses in a fixed order. A round that lacks the last of them is open; only `discussion.open` and
/// `discussion.addResponse` make such. Questions and answers may be given to the last complete round until the next one
/// opens.
struct DiscussionRound {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  EpochMs timestamp = {};
  std::optional<ConversationMessage> analyzer_response = {};
  std::optional<ConversationMessage> solver_response = {};
  std::optional<ConversationMessage> moderator_response = {};
  std::optional<QuestionSet> questions = {};
  std::optional<std::vector<std::string>> user_answers = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::discussion_round;
  static constexpr std::array<std::string_view, 3> members_in_id = {"userId", "discussionId", "roundNumber"};
  friend bool operator==(DiscussionRound const&, DiscussionRound const&) = default;
};

/// A summary that replaces the rounds up to `round_number`.
struct SummaryEntry {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  std::string summary = {};
  std::vector<std::int64_t> replaces_rounds = {};       ///< ascending, each once, the last is `round_number`
  std::optional<std::int64_t> token_count_before = {};  ///< computed where left out
  std::optional<std::int64_t> token_count_after = {};   ///< computed where left out
  std::optional<EpochMs> created_at = {};               ///< the server puts now
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::summary_entry;
  static constexpr std::array<std::string_view, 3> members_in_id = {"userId", "discussionId", "roundNumber"};
  friend bool operator==(SummaryEntry const&, SummaryEntry const&) = default;
};

}  // namespace whence::schema
