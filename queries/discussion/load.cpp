// Reading the records of a discussion.

#include "queries/discussion/load.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/records.hpp"
#include "queries/view/resolve.hpp"
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

/// Whether the last node of this name has no content any more.
bool is_gone(View const& view, RecordType type, std::string const& id) {
  auto const ever = view.snapshot.find_all_ever(type, id);
  return !ever.empty() && view.snapshot.gone(ever.back()).has_value();
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
  state.discussion.user_id = user_id;
  state.discussion.discussion_id = discussion_id;
  auto const read =
      graph::read_those_there(view.snapshot, *view.records, vertices, [&](std::size_t, schema::Record&& record) {
        take(state, std::move(record));
        return true;
      });
  if (!read) return read.error();
  return state;
}

std::vector<GoneNode> gone_parts(View const& view, std::string_view user_id, std::string_view discussion_id) {
  std::vector<GoneNode> gone;
  auto const add = [&](VertexId vertex) {
    if (auto const why = view.snapshot.gone(vertex)) gone.push_back({vertex, *why});
  };
  auto const discussion = view.snapshot.find(RecordType::discussion, schema::discussion_key(user_id, discussion_id));
  if (!discussion) return gone;
  add(*discussion);
  for (auto const& summary : graph::summaries_of(view.snapshot, *discussion)) add(summary.vertex);
  for (auto const& round : graph::rounds_of(view.snapshot, *discussion)) add(round.vertex);
  return gone;
}

DiscussionState without_open_round(DiscussionState state) {
  if (state.open_round() != nullptr) state.rounds.pop_back();
  return state;
}

std::vector<std::int64_t> missing_rounds(View const& view, std::string_view user_id, std::string_view discussion_id) {
  std::size_t last = 0;  // as many as there ever were
  for (auto const each :
       view.snapshot.find_all_ever(RecordType::discussion, schema::discussion_key(user_id, discussion_id))) {
    last = std::max(last, view.snapshot.relations_to_ever(each).size());
  }
  std::vector<std::int64_t> gone;
  for (std::int64_t number = 1; number <= static_cast<std::int64_t>(last); ++number) {
    if (is_gone(view, RecordType::discussion_round, schema::round_key(user_id, discussion_id, number))) {
      gone.push_back(number);
    }
  }
  auto const discussion = view.snapshot.find(RecordType::discussion, schema::discussion_key(user_id, discussion_id));
  if (!discussion) return gone;
  for (auto const& summary : graph::summaries_of(view.snapshot, *discussion)) {
    auto const round = schema::round_key(user_id, discussion_id, summary.number);
    if (!view.snapshot.find(RecordType::discussion_round, round)) gone.push_back(summary.number);
  }
  std::ranges::sort(gone);
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  return gone;
}

bool leave_out_gone(View const& view, schema::Discussion const* stored, DiscussionState& file) {
  auto const user_id = file.discussion.user_id;
  auto const discussion_id = file.discussion.discussion_id;
  auto const leave_out = [&](RecordType type, auto& parts) {
    return std::erase_if(parts, [&](auto const& part) {
      return is_gone(view, type, schema::round_key(user_id, discussion_id, part.round_number));
    });
  };
  auto const left_out =
      leave_out(RecordType::discussion_round, file.rounds) + leave_out(RecordType::summary_entry, file.summaries);
  if (!is_gone(view, RecordType::discussion, schema::discussion_key(user_id, discussion_id))) return left_out > 0;
  auto const said = std::move(file.discussion);
  file.discussion =
      stored != nullptr ? *stored : schema::Discussion{.user_id = user_id, .discussion_id = discussion_id};
  return left_out > 0 || file.discussion != said;
}

}  // namespace whence::queries
