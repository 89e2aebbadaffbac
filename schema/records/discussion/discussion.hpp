#pragma once
// The state of one discussion, computed from its records: the next speaker, the current summary, the rounds of its
// context, and about how many tokens that has. Pure functions of values.

#include "schema/base/limits.hpp"
#include "schema/records/discussion/records.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The speakers of a round, in the order of speaking.
enum class Persona : std::uint8_t { analyzer = 0, solver = 1, moderator = 2 };
constexpr std::array<std::string_view, 3> enum_names(Persona) noexcept {
  return {"Analyzer AI", "Solver AI", "Moderator AI"};
}

/// The fixed facts of a persona.
struct Speaker {
  Persona persona;
  std::string_view name;    ///< "Analyzer AI"
  std::string_view member;  ///< of a round on the wire: "analyzerResponse"
  std::optional<ConversationMessage> DiscussionRound::*response;
};

/// All three, in the order of speaking.
[[nodiscard]] std::span<Speaker const, 3> speakers() noexcept;
[[nodiscard]] Speaker const& speaker(Persona persona) noexcept;

/// (round - 1) * 3 + 1, + 2, + 3.
[[nodiscard]] constexpr std::int64_t turn_of(std::int64_t round_number, Persona persona) noexcept {
  return (round_number - 1) * 3 + 1 + static_cast<std::int64_t>(persona);
}

/// The next speaker in `round`; nothing where it is complete.
[[nodiscard]] std::optional<Persona> next_speaker(DiscussionRound const& round) noexcept;
[[nodiscard]] inline bool is_complete(DiscussionRound const& round) noexcept {
  return !next_speaker(round).has_value();
}

/// Fills in the personas and turns that the responses of `round` leave out.
void name_speakers(DiscussionRound& round);

/// Whether two rounds differ in their questions and answers only, or in nothing.
[[nodiscard]] bool says_the_same(DiscussionRound const& a, DiscussionRound const& b);

/// Whether a response says something: more than space, tab, carriage return and newline.
[[nodiscard]] bool has_content(std::string_view text) noexcept;

// The ids of the records of a discussion; escaped as schema/types/ref.hpp says.
[[nodiscard]] std::string discussion_key(std::string_view user_id, std::string_view discussion_id);
[[nodiscard]] std::string round_key(std::string_view user_id, std::string_view discussion_id, std::int64_t number);

/// The tokens assumed for the system prompts: the largest of the personas' counts.
struct TokenRules {
  std::array<std::int64_t, 3> system_prompts = {limits::system_prompt_tokens, limits::system_prompt_tokens,
                                                limits::system_prompt_tokens};  ///< indexed by `Persona`

  [[nodiscard]] std::int64_t system() const noexcept;
};

/// About how many tokens `text` has: its code points divided by 3.5, rounded up.
[[nodiscard]] std::int64_t tokens_of(std::string_view text) noexcept;

/// The tokens of a context, by where they come from.
struct TokenCount {
  std::int64_t responses = 0;  ///< of the included rounds, each response rounded up on its own
  std::int64_t system = 0;
  std::int64_t overhead = 0;  ///< `limits::round_overhead_tokens` for each included round
  std::int64_t summary = 0;   ///< of the current summary
  std::size_t rounds = 0;     ///< how many are included

  [[nodiscard]] std::int64_t total() const noexcept { return responses + system + overhead + summary; }
  friend bool operator==(TokenCount const&, TokenCount const&) = default;
};

/// One discussion with all that belongs to it.
///
/// Invariants: rounds and summaries are in the order of their numbers, each number once; only the last round may be
/// open.
struct DiscussionState {
  Discussion discussion = {};
  std::vector<DiscussionRound> rounds = {};
  std::vector<SummaryEntry> summaries = {};

  /// The summary of the highest round; null where there is none.
  [[nodiscard]] SummaryEntry const* current_summary() const noexcept;
  /// The rounds of the context: all after the current summary, the open one too.
  [[nodiscard]] std::span<DiscussionRound const> included_rounds() const noexcept;
  /// The last round where it is open; null where all are complete.
  [[nodiscard]] DiscussionRound const* open_round() const noexcept;
  /// The rounds that are complete.
  [[nodiscard]] std::span<DiscussionRound const> complete_rounds() const noexcept;
  [[nodiscard]] TokenCount tokens(TokenRules const& rules) const noexcept;
  /// The latest of the discussion's own time, its rounds' and its summaries'.
  [[nodiscard]] EpochMs updated_at() const noexcept;
};

}  // namespace whence::schema
