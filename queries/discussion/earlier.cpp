// Only what a file has otherwise than the store is read, each with its newest contents up to a bound.

#include "queries/discussion/earlier.hpp"

#include "graph/snapshot/records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {
namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::RecordType;
using schema::SummaryEntry;

class EarlierReader {
 public:
  explicit EarlierReader(View const& view) : view_(view) {}

  Result<void> read(RecordType type, std::string const& id) {
    std::vector<std::pair<VertexId, schema::TxId>> moments;
    for (auto const vertex : view_.snapshot.find_all_ever(type, id)) {
      moments.emplace_back(vertex, view_.snapshot.created(vertex));
      for (auto const& revision : view_.snapshot.revisions(vertex)) moments.emplace_back(vertex, revision.tx);
    }
    auto const first = moments.size() - std::min(moments.size(), earlier_contents_max);
    for (auto i = first; i < moments.size(); ++i) {
      if (auto done = read(moments[i].first, moments[i].second); !done) return done;
    }
    return {};
  }

  EarlierContents take() { return std::move(found_); }

 private:
  Result<void> read(VertexId vertex, schema::TxId tx) {
    std::array const asked{vertex};
    auto const is_discussion = view_.snapshot.type(vertex) == RecordType::discussion;
    return graph::read_records(view_.snapshot.as_of(tx), *view_.records, asked, [&](std::size_t, graph::Said&& said) {
      if (auto* const record = said.find()) keep(std::move(*record));
      if (said.gone() && is_discussion) found_.lacks_discussion = true;
      return true;
    });
  }

  void keep(schema::Record&& record) {
    if (auto* discussion = std::get_if<Discussion>(&record)) {
      found_.discussions.push_back(std::move(*discussion));
    } else if (auto* round = std::get_if<DiscussionRound>(&record)) {
      found_.rounds.push_back(std::move(*round));
    } else if (auto* summary = std::get_if<SummaryEntry>(&record)) {
      found_.summaries.push_back(std::move(*summary));
    }
  }

  View const& view_;
  EarlierContents found_ = {};
};

/// Reads what was before of each of `parts` that differs from the known ones.
template <class T>
Result<void> read_parts(RecordType type, std::vector<T> const& parts, std::vector<T> const& known,
                        EarlierReader& reader) {
  for (auto const& part : parts) {
    auto const same = std::ranges::lower_bound(known, part.round_number, {}, &T::round_number);
    if (same != known.end() && *same == part) continue;
    auto const id = schema::round_key(part.user_id, part.discussion_id, part.round_number);
    if (auto done = reader.read(type, id); !done) return done;
  }
  return {};
}

}  // namespace

Result<EarlierContents> load_earlier(View const& view, schema::DiscussionState const& file,
                                     schema::DiscussionState const& store) {
  EarlierReader reader(view);
  auto const& ids = file.discussion;
  auto const discussion = reader.read(RecordType::discussion, schema::discussion_key(ids.user_id, ids.discussion_id));
  if (!discussion) return discussion.error();
  auto const rounds = read_parts(RecordType::discussion_round, file.rounds, store.rounds, reader);
  if (!rounds) return rounds.error();
  auto const summaries = read_parts(RecordType::summary_entry, file.summaries, store.summaries, reader);
  if (!summaries) return summaries.error();
  return reader.take();
}

}  // namespace whence::queries
