// Sums over all paths of the products along them: total influence, and shares. Both follow the causes of effects, also
// where a walk goes from causes to effects: what a cause's share is, only the whole list of causes says.
#include "graph/walks/cause_shares.hpp"
#include "graph/walks/helpers.hpp"
#include "graph/walks/order.hpp"
#include "graph/walks/scratch.hpp"
#include "graph/walks/walk.hpp"
#include "graph/walks/walked.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>

namespace whence::graph {

using impl::LocalNumbers;
using impl::WalkedLists;

namespace {

/// What `total_influence` needs of `PathSums`: half of the memory.
struct InfluenceSum {
  double influence = 0;
};

/// Adds up `Sum`s, `PathSums` or `InfluenceSum`, over the members of a part in topological order.
template <class Sum>
class Summation {
 public:
  Summation(Snapshot const& snapshot, LocalNumbers const& part, schema::EdgeTypeSet edge_types, schema::Poll& poll)
      : part_{part}, causes_{snapshot, Direction::ancestors, edge_types}, shares_{snapshot}, poll_{poll} {}

  /// From effects to causes. `own` is what each member begins with; it is passed on, but not part of the member's sum.
  std::vector<Sum> to_causes(std::span<std::uint32_t const> order, std::vector<Sum> const& own) {
    std::vector<Sum> sums(part_.size());
    for (auto const at : order) {
      auto passed = own[at];
      add(passed, sums[at]);
      bool const goes_on =
          for_each_cause(at, [&](std::uint32_t cause, Edge edge) { add_part(sums[cause], passed, edge); });
      if (!goes_on) break;
    }
    return sums;
  }

  /// From causes to the effects among the first `reached` members.
  std::vector<Sum> to_effects(std::span<std::uint32_t const> order, std::vector<Sum> own, std::uint32_t reached) {
    auto passed = std::move(own);
    std::vector<Sum> sums(reached);
    for (auto const at : order) {
      if (at >= reached) continue;  // a start that no other reaches
      Sum sum;
      bool const goes_on =
          for_each_cause(at, [&](std::uint32_t cause, Edge edge) { add_part(sum, passed[cause], edge); });
      if (!goes_on) break;
      sums[at] = sum;
      add(passed[at], sum);
    }
    return sums;
  }

 private:
  static constexpr bool has_share = std::same_as<Sum, PathSums>;

  struct Edge {
    EdgeId id;
    std::size_t place;  ///< in the list of its effect
  };

  /// Calls `visit(cause, edge)` for the walked edges from members to an effect; false where the poll says to stop.
  template <class Visit>
  bool for_each_cause(std::uint32_t effect, Visit const& visit) {
    auto const list = causes_[part_[effect]];
    if constexpr (has_share) shares_.read(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!causes_.is_walked(list.edges[i])) continue;
      auto const cause = part_.find(list.vertices[i]);
      if (cause != LocalNumbers::none) visit(cause, Edge{list.edges[i], i});
    }
    return !poll_.must_stop(list.size() + 1);
  }

  static void add(Sum& to, Sum const& what) noexcept {
    to.influence += what.influence;
    if constexpr (has_share) to.share += what.share;
  }
  void add_part(Sum& to, Sum const& passed, Edge edge) const noexcept {
    if constexpr (has_share) {
      to.influence += passed.influence * shares_.path_weight(edge.place);
      to.share += passed.share * shares_.share(edge.place);
    } else {
      to.influence += passed.influence * causes_.path_weight(edge.id);
    }
  }

  LocalNumbers const& part_;
  WalkedLists causes_;
  impl::CauseShares shares_;
  schema::Poll& poll_;
};

template <class Sum>
Result<std::vector<Sum>> sums_over_paths(Snapshot const& snapshot, std::span<VertexId const> starts,
                                         Direction direction, WalkLimits const& limits, Reach const& reach,
                                         schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  std::optional<impl::Helpers::LongWalk> long_walk;  // others do not borrow this core
  if (reach.vertices.size() >= impl::long_layer_min) long_walk.emplace(impl::Helpers::of_process());
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : reach.vertices) part.add(v);
  auto const reached = part.size();
  std::vector<std::uint32_t> members;  // that are starts; a deleted start leads nowhere
  for (auto const v : starts) {
    if (!snapshot.is_deleted(v)) members.push_back(part.add(v));
  }
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<Sum> own(part.size());
  for (auto const member : members) {
    own[member].influence = 1;
    if constexpr (std::same_as<Sum, PathSums>) own[member].share = 1.0 / static_cast<double>(members.size());
  }

  std::vector<std::uint32_t> order;
  PartGraph const graph{snapshot, part, direction, limits.edge_types, poll};
  if (!completes([&] { order = impl::topological_order(graph); })) return poll.error();
  Summation<Sum> summation{snapshot, part, limits.edge_types, poll};
  auto sums = direction == Direction::ancestors ? summation.to_causes(order, own)
                                                : summation.to_effects(order, std::move(own), reached);
  if (poll.has_stopped()) return poll.error();
  sums.resize(reached);
  return sums;
}

}  // namespace

Result<std::vector<PathSums>> path_sums(Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction,
                                        WalkLimits const& limits, Reach const& reach,
                                        schema::Interrupt const& interrupt) {
  auto sums = sums_over_paths<PathSums>(snapshot, starts, direction, limits, reach, interrupt);
  if (!sums) return sums.error();
  // Parts that make up a whole may add up to 1 and an ulp.
  for (auto& sum : *sums) sum.share = std::min(sum.share, 1.0);
  return sums;
}

Result<std::vector<double>> total_influence(Snapshot const& snapshot, std::span<VertexId const> starts,
                                            Direction direction, WalkLimits const& limits, Reach const& reach,
                                            schema::Interrupt const& interrupt) {
  auto const sums = sums_over_paths<InfluenceSum>(snapshot, starts, direction, limits, reach, interrupt);
  if (!sums) return sums.error();
  std::vector<double> influence;
  influence.reserve(sums->size());
  for (auto const& sum : *sums) influence.push_back(sum.influence);
  return influence;
}

}  // namespace whence::graph
