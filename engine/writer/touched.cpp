#include "engine/writer/touched.hpp"

#include "schema/types/ref.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace whence::engine {
namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::RecordType;
using schema::SummaryEntry;

class Touched {
 public:
  void take(schema::Record const& record) {
    if (auto const* round = std::get_if<DiscussionRound>(&record)) {
      if (schema::is_complete(*round)) add(round->user_id, round->discussion_id);
    } else if (auto const* summary = std::get_if<SummaryEntry>(&record)) {
      add(summary->user_id, summary->discussion_id);
    } else if (auto const* discussion = std::get_if<Discussion>(&record)) {
      add(discussion->user_id, discussion->discussion_id);
    }
  }

  void take_removed(graph::Snapshot const& known, schema::VertexId vertex) {
    auto const type = known.type(vertex);
    bool const is_whole = type == RecordType::discussion;
    if (!is_whole && type != RecordType::discussion_round && type != RecordType::summary_entry) return;
    auto const parts = schema::split_key(known.id(vertex));
    if (parts.size() == (is_whole ? 2U : 3U)) add(parts[0], parts[1]);
  }

  std::vector<DiscussionIds> finish() && {
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  void add(std::string const& user_id, std::string const& discussion_id) {
    if (!found_.empty() && found_.back().user_id == user_id && found_.back().discussion_id == discussion_id) return;
    found_.push_back({user_id, discussion_id});
  }

  std::vector<DiscussionIds> found_ = {};
};

}  // namespace

std::vector<DiscussionIds> touched_discussions(Plan const& plan, Step const& step, graph::Snapshot const& known) {
  auto const* opening = std::get_if<RoundOpening>(&step);
  if (opening != nullptr && !opening->discussion.topic) return {};
  Touched touched;
  for (auto const& record : plan.records) touched.take(record);
  for (auto const& revision : plan.revisions) touched.take(revision.whole);
  for (auto const vertex : plan.hidden) touched.take_removed(known, vertex);
  for (auto const vertex : plan.gone) touched.take_removed(known, vertex);
  return std::move(touched).finish();
}

}  // namespace whence::engine
