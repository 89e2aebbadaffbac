// discussion.context, discussion.prompt and discussion.tokens: what a model is shown of a discussion.

#include "queries/discussion/discussion.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/records.hpp"
#include "queries/discussion/text.hpp"
#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"
#include "schema/records/records.hpp"
#include "schema/records/ref.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

using schema::DiscussionRound;
using schema::DiscussionState;
using schema::RecordType;
using schema::SummaryEntry;
using schema::TokenCount;

/// Records come in the order asked for: the discussion, its rounds, its summaries.
void take(DiscussionState& state, schema::Record&& record) {
  if (auto* discussion = std::get_if<schema::Discussion>(&record)) {
    state.discussion = std::move(*discussion);
  } else if (auto* round = std::get_if<DiscussionRound>(&record)) {
    state.rounds.push_back(std::move(*round));
  } else if (auto* summary = std::get_if<SummaryEntry>(&record)) {
    state.summaries.push_back(std::move(*summary));
  }
}

/// What the context was made from: the current summary, then the rounds.
std::vector<std::string> refs_of(DiscussionState const& state) {
  auto const ref = [&](RecordType type, std::int64_t number) {
    auto const& discussion = state.discussion;
    return schema::format_ref(type, schema::round_key(discussion.user_id, discussion.discussion_id, number));
  };
  std::vector<std::string> refs;
  if (auto const* summary = state.current_summary()) {
    refs.push_back(ref(RecordType::summary_entry, summary->round_number));
  }
  for (auto const& round : state.included_rounds()) {
    refs.push_back(ref(RecordType::discussion_round, round.round_number));
  }
  return refs;
}

void write_refs(Writer& out, DiscussionState const& state) {
  out.key("refs").begin_array();
  for (auto const& ref : refs_of(state)) out.value(std::string_view(ref));
  out.end_array();
}

void write_context(Writer& out, View const& view, DiscussionState const& state) {
  out.member("userId", state.discussion.user_id).member("discussionId", state.discussion.discussion_id);
  out.key("currentSummary");
  if (auto const* summary = state.current_summary()) {
    write_record(out, schema::Record(*summary), view.snapshot);
  } else {
    out.null();
  }
  out.key("rounds").begin_array();
  for (auto const& round : state.included_rounds()) write_record(out, schema::Record(round), view.snapshot);
  out.end_array().key("currentRound");
  if (auto const* open = state.open_round()) {
    out.value(open->round_number);
  } else {
    out.null();
  }
  out.member("tokens", state.tokens(view.token_rules).total());
  write_refs(out, state);
}

void write_tokens(Writer& out, TokenCount const& count) {
  out.member("total", count.total()).key("parts").begin_object();
  out.member("responses", count.responses).member("system", count.system);
  out.member("overhead", count.overhead).member("summary", count.summary).end_object();
  out.member("rounds", std::uint64_t{count.rounds});
}

}  // namespace

Result<DiscussionState> load_discussion(View const& view, std::string_view user_id, std::string_view discussion_id) {
  auto const key = schema::discussion_key(user_id, discussion_id);
  auto const discussion = resolve(view.snapshot, {RecordType::discussion, key}, "/discussionId");
  if (!discussion) return discussion.error();
  std::vector<VertexId> vertices{*discussion};
  for (auto const& round : graph::rounds_of(view.snapshot, *discussion)) vertices.push_back(round.vertex);
  for (auto const& summary : graph::summaries_of(view.snapshot, *discussion)) vertices.push_back(summary.vertex);
  DiscussionState state;
  auto const read =
      graph::read_records(view.snapshot, *view.records, vertices, [&](std::size_t, schema::Record&& record) {
        take(state, std::move(record));
        return true;
      });
  if (!read) return read.error();
  return state;
}

DiscussionState without_open_round(DiscussionState state) {
  if (state.open_round() != nullptr) state.rounds.pop_back();
  return state;
}

Result<PageSource> discussion_context(View const& view, DiscussionParams const& params, Budget const& /*budget*/) {
  auto state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  auto const shared = std::make_shared<DiscussionState const>(std::move(*state));
  PageSource answer;
  answer.write_members = [view, shared](Writer& out) { write_context(out, view, *shared); };
  return answer;
}

Result<PageSource> discussion_prompt(View const& view, DiscussionPromptParams const& params, Budget const& /*budget*/) {
  auto state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  auto const shared = std::make_shared<DiscussionState const>(std::move(*state));
  auto const files = params.files.value_or(std::vector<PromptFile>{});
  auto const prompt = std::make_shared<std::string const>(prompt_text(*shared, files));
  PageSource answer;
  answer.write_members = [view, shared, prompt](Writer& out) {
    out.member("prompt", *prompt);
    write_refs(out, *shared);
    out.member("tokens", shared->tokens(view.token_rules).total());
  };
  return answer;
}

Result<PageSource> discussion_tokens(View const& view, DiscussionParams const& params, Budget const& /*budget*/) {
  auto const state = load_discussion(view, params.user_id, params.discussion_id);
  if (!state) return state.error();
  PageSource answer;
  answer.write_members = [count = state->tokens(view.token_rules)](Writer& out) { write_tokens(out, count); };
  return answer;
}

}  // namespace whence::queries
