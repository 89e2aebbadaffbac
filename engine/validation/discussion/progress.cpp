// All rounds before the last are complete, so `progress_of` reads only the discussion and its last round. A round whose
// content is gone counts as complete: it gets no responses any more.

#include "engine/validation/discussion/progress.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/types/ref.hpp"

#include <string>
#include <utility>
#include <vector>

namespace whence::engine {

using schema::Discussion;
using schema::DiscussionRound;
using schema::DiscussionState;
using schema::RecordType;
using schema::SummaryEntry;
using schema::VertexId;

Result<VertexId> find_discussion(std::string_view user_id, std::string_view discussion_id,
                                 graph::Snapshot const& known) {
  schema::NodeRef const ref{RecordType::discussion, schema::discussion_key(user_id, discussion_id)};
  if (auto const vertex = known.find(ref.type, ref.id)) return *vertex;
  return error_from(graph::unknown_ref(known, ref, "/discussionId"));
}

Result<DiscussionProgress> progress_of(VertexId discussion, graph::Snapshot const& known, Contents& contents) {
  DiscussionProgress progress;
  auto const last = graph::last_round(known, discussion);
  std::vector<VertexId> asked{discussion};
  if (last) asked.push_back(last->vertex);
  if (auto const fetched = contents.fetch(std::move(asked)); !fetched) return fetched.error();
  if (last) {
    auto const* const record = contents.find(last->vertex);
    // One that is gone gets no responses any more.
    bool const is_complete = record == nullptr || schema::is_complete(std::get<DiscussionRound>(*record));
    progress.complete = is_complete ? last->number : last->number - 1;
    if (!is_complete) progress.begun = last;
  }
  progress.next = progress.begun ? progress.begun->number : graph::next_round_number(known, discussion);
  auto const* const record = contents.find(discussion);
  auto const opened = record == nullptr ? std::nullopt : std::get<Discussion>(*record).open_round;
  progress.is_opened = progress.begun || graph::open_round_number(known, discussion, opened);
  return progress;
}

std::vector<graph::NumberedVertex> summaries_there(VertexId discussion, graph::Snapshot const& known) {
  auto summaries = graph::summaries_of(known, discussion);
  std::erase_if(summaries, [&](graph::NumberedVertex const& each) { return known.gone(each.vertex).has_value(); });
  return summaries;
}

Result<DiscussionState> context_of(VertexId discussion, graph::Snapshot const& known, Contents& contents) {
  auto const summaries = summaries_there(discussion, known);
  auto rounds = graph::rounds_of(known, discussion);
  if (!summaries.empty()) {
    std::erase_if(rounds, [&](graph::NumberedVertex const& round) { return round.number <= summaries.back().number; });
  }
  std::vector<VertexId> asked{discussion};
  for (auto const& round : rounds) asked.push_back(round.vertex);
  if (!summaries.empty()) asked.push_back(summaries.back().vertex);
  if (auto const fetched = contents.fetch(std::move(asked)); !fetched) return fetched.error();
  DiscussionState state;
  if (auto const* const record = contents.find(discussion)) state.discussion = std::get<Discussion>(*record);
  for (auto const& round : rounds) {
    if (auto const* const record = contents.find(round.vertex))
      state.rounds.push_back(std::get<DiscussionRound>(*record));
  }
  if (!summaries.empty()) {
    auto const* const record = contents.find(summaries.back().vertex);
    if (record != nullptr) state.summaries.push_back(std::get<SummaryEntry>(*record));
  }
  return state;
}

}  // namespace whence::engine
