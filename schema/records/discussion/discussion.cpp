// Order, context and tokens of a discussion.
#include "schema/records/discussion/discussion.hpp"

#include "schema/base/text.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>

namespace whence::schema {
namespace {

constexpr std::array<Speaker, 3> table = {{
    {Persona::analyzer, name_of(Persona::analyzer), "analyzerResponse", &DiscussionRound::analyzer_response},
    {Persona::solver, name_of(Persona::solver), "solverResponse", &DiscussionRound::solver_response},
    {Persona::moderator, name_of(Persona::moderator), "moderatorResponse", &DiscussionRound::moderator_response},
}};

}  // namespace

std::span<Speaker const, 3> speakers() noexcept {
  return table;
}

Speaker const& speaker(Persona persona) noexcept {
  return table[static_cast<std::size_t>(persona)];
}

std::optional<Persona> next_speaker(DiscussionRound const& round) noexcept {
  for (Speaker const& each : table) {
    if (!(round.*each.response)) return each.persona;
  }
  return std::nullopt;
}

void name_speakers(DiscussionRound& round) {
  for (Speaker const& each : table) {
    auto& response = round.*each.response;
    if (!response) continue;
    if (!response->persona) response->persona = each.name;
    if (!response->turn) response->turn = turn_of(round.round_number, each.persona);
  }
}

bool says_the_same(DiscussionRound const& a, DiscussionRound const& b) {
  DiscussionRound same = a;
  same.questions = b.questions;
  same.user_answers = b.user_answers;
  return same == b;
}

bool has_content(std::string_view text) noexcept {
  return !trim_xml(text).empty();
}

std::string discussion_key(std::string_view user_id, std::string_view discussion_id) {
  return join_key({user_id, discussion_id});
}

std::string round_key(std::string_view user_id, std::string_view discussion_id, std::int64_t number) {
  return join_key({user_id, discussion_id, std::to_string(number)});
}

std::int64_t TokenRules::system() const noexcept {
  return *std::ranges::max_element(system_prompts);
}

std::int64_t tokens_of(std::string_view text) noexcept {
  return (2 * static_cast<std::int64_t>(code_points(text)) + 6) / 7;  // the ceiling of n / 3.5, in integers
}

SummaryEntry const* DiscussionState::current_summary() const noexcept {
  return summaries.empty() ? nullptr : &summaries.back();
}

std::span<DiscussionRound const> DiscussionState::included_rounds() const noexcept {
  std::span<DiscussionRound const> const all = rounds;
  auto const* summary = current_summary();
  if (summary == nullptr) return all;
  auto const first =
      std::ranges::upper_bound(rounds, summary->round_number, std::less{}, &DiscussionRound::round_number);
  return all.subspan(static_cast<std::size_t>(first - rounds.begin()));
}

DiscussionRound const* DiscussionState::open_round() const noexcept {
  return rounds.empty() || is_complete(rounds.back()) ? nullptr : &rounds.back();
}

std::span<DiscussionRound const> DiscussionState::complete_rounds() const noexcept {
  return std::span{rounds}.first(rounds.size() - (open_round() == nullptr ? 0 : 1));
}

TokenCount DiscussionState::tokens(TokenRules const& rules) const noexcept {
  TokenCount count{.system = rules.system()};
  for (auto const& round : included_rounds()) {
    ++count.rounds;
    count.overhead += limits::round_overhead_tokens;
    for (Speaker const& each : table) {
      if (auto const& response = round.*each.response) count.responses += tokens_of(response->content);
    }
  }
  if (auto const* summary = current_summary()) count.summary = tokens_of(summary->summary);
  return count;
}

EpochMs DiscussionState::updated_at() const noexcept {
  EpochMs latest = discussion.updated_at.value_or(EpochMs{});
  for (auto const& round : rounds) latest = std::max(latest, round.timestamp);
  for (auto const& summary : summaries) latest = std::max(latest, summary.created_at.value_or(EpochMs{}));
  return latest;
}

}  // namespace whence::schema
