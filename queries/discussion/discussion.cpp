// Evaluating the methods about discussions.

#include "queries/discussion/discussion.hpp"

#include "graph/snapshot/discussion.hpp"
#include "queries/discussion/load.hpp"
#include "queries/discussion/text.hpp"
#include "schema/records/discussion/file_name.hpp"

#include <utility>

namespace whence::queries {
namespace {

using schema::DiscussionState;
using schema::RecordType;

std::vector<NodeRef> refs_of(DiscussionState const& state) {
  auto const ref = [&](RecordType type, std::int64_t number) -> NodeRef {
    auto const& discussion = state.discussion;
    return {type, schema::round_key(discussion.user_id, discussion.discussion_id, number)};
  };
  std::vector<NodeRef> refs;
  if (auto const* summary = state.current_summary())
    refs.push_back(ref(RecordType::summary_entry, summary->round_number));
  for (auto const& round : state.included_rounds())
    refs.push_back(ref(RecordType::discussion_round, round.round_number));
  return refs;
}

/// More than any slice: a file is read on a worker only.
constexpr std::uint64_t file_steps = std::uint64_t{1} << 32;

Result<std::vector<Violation>> check_tokens(View const& view, DiscussionState const& state, Budget const& budget) {
  if (view.token_check == nullptr) return std::vector<Violation>{};
  auto const stop = budget.interrupt.check(file_steps);
  if (stop == schema::Stop::cancelled) return Error{.code = Errc::cancelled, .message = "cancelled"};
  if (stop != schema::Stop::none) {
    return Error{.code = Errc::deadline_exceeded, .message = "the discussion's file was not read in time"};
  }
  return (*view.token_check)(state, view.snapshot.tx());
}

}  // namespace

Result<DiscussionContext> discussion_context(View const& view, DiscussionParams const& params, Budget const& budget) {
  auto state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  auto refs = refs_of(*state);
  auto const tokens = state->tokens(view.token_rules).total();
  auto warnings = check_tokens(view, *state, budget);
  if (!warnings) return warnings.error();
  return DiscussionContext{std::move(*state), std::move(refs), tokens, std::move(*warnings)};
}

Result<DiscussionPrompt> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                           Budget const& budget) {
  auto const state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  auto warnings = check_tokens(view, *state, budget);
  if (!warnings) return warnings.error();
  auto const files = params.files.value_or(std::vector<PromptFile>{});
  return DiscussionPrompt{prompt_text(*state, files), refs_of(*state), state->tokens(view.token_rules).total(),
                          std::move(*warnings)};
}

Result<schema::TokenCount> discussion_tokens(View const& view, DiscussionParams const& params,
                                             Budget const& /*budget*/) {
  auto const state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  return state->tokens(view.token_rules);
}

namespace {

/// The round that is open, begun or not, and who speaks next in it.
void find_open_round(View const& view, DiscussionFacts& facts) {
  if (auto const* begun = facts.state.open_round()) {
    facts.current_round = begun->round_number;
    facts.next = schema::next_speaker(*begun);
    return;
  }
  auto const& discussion = facts.state.discussion;
  auto const complete = facts.state.rounds.empty() ? 0 : facts.state.rounds.back().round_number;
  if (discussion.open_round.value_or(0) <= complete) return;
  auto const key = schema::discussion_key(discussion.user_id, discussion.discussion_id);
  auto const vertex = view.snapshot.find(schema::RecordType::discussion, key);
  if (!vertex || graph::is_opening_void(view.snapshot, *vertex, *discussion.open_round)) return;
  facts.current_round = discussion.open_round;
  facts.next = schema::Persona::analyzer;
}

}  // namespace

Result<DiscussionFacts> discussion_get(View const& view, DiscussionGetParams const& params, Budget const& /*budget*/) {
  auto state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  DiscussionFacts facts{.state = std::move(*state)};
  for (auto const& speaker : schema::speakers()) {
    if (facts.state.rounds.empty()) break;
    auto const& response = facts.state.rounds.back().*speaker.response;
    if (response) facts.current_turn = schema::turn_of(facts.state.rounds.back().round_number, speaker.persona);
  }
  find_open_round(view, facts);
  facts.token_count = without_open_round(facts.state).tokens(view.token_rules).total();
  if (view.has_files) {
    facts.file_stem = schema::escape_file_name(params.user_id) + "/" + schema::escape_file_name(params.discussion_id);
  }
  return facts;
}

}  // namespace whence::queries
