// Reading the records of a discussion.

#include "queries/discussion/load.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/records.hpp"
#include "queries/resolve.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {
namespace {

using schema::DiscussionRound;
using schema::DiscussionState;
using schema::RecordType;
using schema::SummaryEntry;

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

}  // namespace

Result<DiscussionState> load_discussion(View const& view, std::string_view user_id, std::string_view discussion_id) {
  auto const key = schema::discussion_key(user_id, discussion_id);
  auto const discussion = resolve(view.snapshot, {RecordType::discussion, key}, "/discussionId");
  if (!discussion) return discussion.error();
  std::vector<VertexId> vertices{*discussion};
  for (auto const& round : graph::rounds_of(view.snapshot, *discussion)) vertices.push_back(round.vertex);
  for (auto const& summary : graph::summaries_of(view.snapshot, *discussion)) vertices.push_back(summary.vertex);
  vertices.erase(std::remove_if(vertices.begin() + 1, vertices.end(),
                                [&](VertexId part) { return view.snapshot.gone(part).has_value(); }),
                 vertices.end());
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

}  // namespace whence::queries
