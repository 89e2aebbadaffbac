// Rounds and summaries of the file and of the store are matched by their numbers. A round that differs in questions and
// answers only is revised, not written anew. The step brings the state that the file was compared with: where the
// discussion has changed since, nothing is restored.

#include "engine/steps/discussion_file.hpp"

#include "engine/validation/discussion/progress.hpp"
#include "graph/removal/holds.hpp"
#include "graph/snapshot/discussion.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::DiscussionState;
using schema::EdgeType;
using schema::RecordType;
using schema::SummaryEntry;
using schema::VertexId;

using ByNumber = std::map<std::int64_t, VertexId>;

ByNumber by_number(std::vector<graph::NumberedVertex> const& list) {
  ByNumber map;
  for (auto const& each : list) map.emplace(each.number, each.vertex);
  return map;
}

class Restoring {
 public:
  Restoring(DiscussionRestoring const& step, VertexId discussion, RemovalContext const& context)
      : wanted_(step.state),
        before_(step.before),
        discussion_(discussion),
        known_(context.known),
        contents_(context.contents),
        keeping_(context.keeping) {}

  Result<Plan> run() {
    rounds_ = by_number(graph::rounds_of(known_, discussion_));
    summaries_ = by_number(graph::summaries_of(known_, discussion_));
    for (auto* parts : {&rounds_, &summaries_}) {  // those that are gone stay, whatever the file has
      std::erase_if(*parts, [&](auto const& each) { return known_.gone(each.second).has_value(); });
    }
    if (auto const fetched = fetch(); !fetched) return fetched.error();
    if (!is_as_compared()) {
      return error_from(Violation{.code = Errc::precondition,
                                  .rule = "changed",
                                  .path = "/discussionId",
                                  .message = "the discussion was written while its file was compared with it"});
    }
    drop_rounds();
    drop_summaries();
    auto const holds = graph::Holds::make(known_, contents_.reading(), keeping_);
    if (!holds) return holds.error();
    if (auto const free = holds->check_free(plan_.hidden, "/discussionId"); !free) return free.error();
    for (auto const& round : wanted_.rounds) {
      if (!rounds_.contains(round.round_number)) put_round(round);
    }
    for (auto const& summary : wanted_.summaries) {
      if (!summaries_.contains(summary.round_number)) put_summary(summary);
    }
    revise_discussion();
    return std::move(plan_);
  }

 private:
  Result<void> fetch() {
    std::vector<VertexId> asked{discussion_};
    for (auto const& [number, vertex] : rounds_) asked.push_back(vertex);
    for (auto const& [number, vertex] : summaries_) asked.push_back(vertex);
    return contents_.fetch(std::move(asked));
  }

  [[nodiscard]] bool is_as_compared() const {
    auto const is_same = [&](auto const& records, ByNumber const& there) {
      return std::ranges::equal(records, there, [&](auto const& record, auto const& each) {
        auto const* const there_now = contents_.find(each.second);
        return there_now != nullptr && schema::Record(record) == *there_now;
      });
    };
    auto const* const discussion = contents_.find(discussion_);
    return (discussion == nullptr || schema::Record(before_.discussion) == *discussion) &&
           is_same(before_.rounds, rounds_) && is_same(before_.summaries, summaries_);
  }

  /// Hides the vertices that are not to stay and removes them from `there`.
  template <class Stays>
  void drop(ByNumber& there, Stays const& stays) {
    std::erase_if(there, [&](auto const& each) {
      auto const* const record = contents_.find(each.second);
      if (record == nullptr || stays(each.first, *record)) return false;
      plan_.hidden.push_back(each.second);
      return true;
    });
  }

  /// A round that only has other questions or answers than wanted is revised, so that what it prompted keeps it.
  void drop_rounds() {
    drop(rounds_, [&](std::int64_t number, schema::Record const& record) {
      auto const& round = std::get<DiscussionRound>(record);
      auto const found = std::ranges::lower_bound(wanted_.rounds, number, {}, &DiscussionRound::round_number);
      // Files have complete rounds only: that one lacks the open round says nothing.
      if (found == wanted_.rounds.end()) return number >= next_wanted() && !schema::is_complete(round);
      if (found->round_number != number || !schema::says_the_same(*found, round)) return false;
      if (round != *found) revise(rounds_.at(number), *found);
      return true;
    });
  }

  [[nodiscard]] std::int64_t next_wanted() const {
    return wanted_.rounds.empty() ? 1 : wanted_.rounds.back().round_number + 1;
  }

  void drop_summaries() {
    drop(summaries_, [&](std::int64_t number, schema::Record const& record) {
      auto const found = std::ranges::find(wanted_.summaries, number, &SummaryEntry::round_number);
      return found != wanted_.summaries.end() && std::get<SummaryEntry>(record) == *found;
    });
  }

  VertexId put(schema::Record record, std::vector<store::RowEdge> edges) {
    VertexId const vertex{known_.vertex_count() + static_cast<std::uint32_t>(plan_.rows.size())};
    plan_.rows.push_back({.vertex = vertex,
                          .type = schema::type_of(record),
                          .id = schema::node_id_of(record),
                          .time = schema::time_of(record),
                          .edges = std::move(edges)});
    plan_.refs.push_back(schema::format_ref(schema::type_of(record), schema::node_id_of(record)));
    plan_.records.push_back(std::move(record));
    return vertex;
  }

  void put_round(DiscussionRound const& round) {
    auto const number = round.round_number;
    std::vector<store::RowEdge> edges{{.type = EdgeType::part_of, .owner_is_from = true, .other = discussion_}};
    if (auto const before = rounds_.find(number - 1); before != rounds_.end()) {
      edges.push_back({.type = EdgeType::follows, .owner_is_from = true, .other = before->second});
    }
    if (auto const after = rounds_.find(number + 1); after != rounds_.end()) {
      edges.push_back({.type = EdgeType::follows, .owner_is_from = false, .other = after->second});
    }
    for (auto const& [reach, summary] : summaries_) {
      if (replaces(summary, number)) {
        edges.push_back({.type = EdgeType::summarizes, .owner_is_from = false, .other = summary});
      }
    }
    rounds_.emplace(number, put(round, std::move(edges)));
  }

  [[nodiscard]] bool replaces(VertexId summary, std::int64_t round) const {
    auto const* const record = contents_.find(summary);
    return record != nullptr && std::ranges::binary_search(std::get<SummaryEntry>(*record).replaces_rounds, round);
  }

  void put_summary(SummaryEntry const& summary) {
    std::vector<store::RowEdge> edges;
    for (auto const number : summary.replaces_rounds) {
      auto const round = rounds_.find(number);
      if (round == rounds_.end()) continue;
      edges.push_back({.type = EdgeType::summarizes, .owner_is_from = true, .other = round->second});
    }
    put(summary, std::move(edges));
  }

  /// An opening stays valid if it is of a round after those of the file that was not completed under it; else it would
  /// open a round that was never opened. Without a response it is of the next round, whatever number that has now.
  [[nodiscard]] std::optional<std::int64_t> remaining_opening(Discussion const& stored) const {
    auto const next =
        std::max(next_wanted(), wanted_.summaries.empty() ? 1 : wanted_.summaries.back().round_number + 1);
    if (!stored.open_round || *stored.open_round < next) return stored.open_round;
    auto const of = std::ranges::find(before_.rounds, *stored.open_round, &DiscussionRound::round_number);
    if (of != before_.rounds.end()) return schema::is_complete(*of) ? std::nullopt : stored.open_round;
    if (graph::is_opening_void(known_, discussion_, *stored.open_round)) return std::nullopt;
    return next;
  }

  void revise_discussion() {
    auto const* const record = contents_.find(discussion_);
    if (record == nullptr) return;  // a file brings nothing back
    auto const& stored = std::get<Discussion>(*record);
    Discussion whole = wanted_.discussion;
    whole.open_round = remaining_opening(stored);
    if (whole.open_round) whole.open_questions = stored.open_questions;
    if (whole != stored) revise(discussion_, whole);
  }

  void revise(VertexId vertex, schema::Record const& whole) {
    plan_.revise(
        {.row = {.vertex = vertex, .type = schema::type_of(whole), .revision = 0, .kind = schema::RevisionKind::whole},
         .content = whole,
         .whole = whole},
        known_);
  }

  DiscussionState const& wanted_;
  DiscussionState const& before_;
  VertexId const discussion_;
  graph::Snapshot const& known_;
  Contents& contents_;
  graph::Keeping const& keeping_;
  Plan plan_;
  ByNumber rounds_;     // those that stay or are new, so far
  ByNumber summaries_;  // those that stay
};

}  // namespace

Result<Plan> restore_discussion(DiscussionRestoring const& step, RemovalContext const& context) {
  auto const& discussion = step.state.discussion;
  auto const vertex = find_discussion(discussion.user_id, discussion.discussion_id, context.known);
  if (!vertex) return vertex.error();
  return Restoring(step, *vertex, context).run();
}

}  // namespace whence::engine
