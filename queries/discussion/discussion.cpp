// Evaluating the methods about discussions.

#include "queries/discussion/discussion.hpp"

#include "graph/snapshot/discussion.hpp"
#include "queries/discussion/load.hpp"
#include "queries/discussion/text.hpp"
#include "schema/records/discussion/file_name.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries {
namespace {

using schema::DiscussionState;
using schema::RecordType;

/// The number of a round or of a summary; nothing of the discussion itself.
std::optional<std::int64_t> number_of(Snapshot const& snapshot, VertexId part) {
  auto record = schema::blank_record(snapshot.type(part));
  schema::set_node_id(*record, snapshot.id(part));
  if (auto const* const round = std::get_if<schema::DiscussionRound>(&*record)) return round->round_number;
  if (auto const* const summary = std::get_if<schema::SummaryEntry>(&*record)) return summary->round_number;
  return std::nullopt;
}

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

/// What is gone of the part that a model is shown: the discussion, and what comes after the summary that is shown.
std::vector<GoneNode> gone_of_context(View const& view, DiscussionState const& state) {
  auto gone = gone_parts(view, state.discussion.user_id, state.discussion.discussion_id);
  auto const* const summary = state.current_summary();
  std::erase_if(gone, [&](GoneNode const& each) {
    return summary != nullptr &&
           number_of(view.snapshot, each.vertex).value_or(summary->round_number + 1) <= summary->round_number;
  });
  return gone;
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
  auto gone = gone_of_context(view, *state);
  return DiscussionContext{std::move(*state), std::move(refs), std::move(gone), tokens, std::move(*warnings)};
}

Result<DiscussionPrompt> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                           Budget const& budget) {
  auto const state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  auto warnings = check_tokens(view, *state, budget);
  if (!warnings) return warnings.error();
  auto const files = params.files.value_or(std::vector<PromptFile>{});
  return DiscussionPrompt{prompt_text(*state, files), refs_of(*state), gone_of_context(view, *state),
                          state->tokens(view.token_rules).total(), std::move(*warnings)};
}

Result<DiscussionTokens> discussion_tokens(View const& view, DiscussionParams const& params, Budget const& /*budget*/) {
  auto const state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  return DiscussionTokens{state->tokens(view.token_rules), gone_of_context(view, *state)};
}

namespace {

/// The number of the last round that is gone; 0 where none is. It takes no responses any more.
std::int64_t last_gone_round(Snapshot const& snapshot, std::vector<GoneNode> const& gone) {
  std::int64_t last = 0;
  for (auto const& each : gone) {
    if (snapshot.type(each.vertex) != RecordType::discussion_round) continue;
    last = std::max(last, number_of(snapshot, each.vertex).value_or(0));
  }
  return last;
}

/// The round that is open, begun or not, and who speaks next in it.
void find_open_round(View const& view, DiscussionFacts& facts) {
  if (auto const* begun = facts.state.open_round()) {
    facts.current_round = begun->round_number;
    facts.next = schema::next_speaker(*begun);
    return;
  }
  auto const& discussion = facts.state.discussion;
  auto const key = schema::discussion_key(discussion.user_id, discussion.discussion_id);
  auto const vertex = view.snapshot.find(schema::RecordType::discussion, key);
  if (!vertex) return;
  facts.current_round = graph::open_round_number(view.snapshot, *vertex, discussion.open_round);
  if (facts.current_round) facts.next = schema::Persona::analyzer;
}

}  // namespace

Result<DiscussionFacts> discussion_get(View const& view, DiscussionGetParams const& params, Budget const& /*budget*/) {
  auto state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  DiscussionFacts facts{.state = std::move(*state)};
  facts.gone = gone_parts(view, params.user_id, params.discussion_id);
  for (auto const& speaker : schema::speakers()) {
    if (facts.state.rounds.empty()) break;
    auto const& response = facts.state.rounds.back().*speaker.response;
    if (response) facts.current_turn = schema::turn_of(facts.state.rounds.back().round_number, speaker.persona);
  }
  auto const last_gone = last_gone_round(view.snapshot, facts.gone);
  if (facts.state.rounds.empty() || facts.state.rounds.back().round_number < last_gone) {
    facts.current_turn = last_gone == 0 ? std::optional<std::int64_t>{0} : std::nullopt;
  }
  facts.rounds = static_cast<std::int64_t>(facts.state.complete_rounds().size()) +
                 std::ranges::count_if(facts.gone, [&](GoneNode const& each) {
                   return view.snapshot.type(each.vertex) == RecordType::discussion_round;
                 });
  find_open_round(view, facts);
  facts.token_count = without_open_round(facts.state).tokens(view.token_rules).total();
  if (view.has_files) {
    facts.file_stem = schema::escape_file_name(params.user_id) + "/" + schema::escape_file_name(params.discussion_id);
  }
  return facts;
}

}  // namespace whence::queries
