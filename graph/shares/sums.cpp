// Shares: sums over all paths of the products along them. They follow the causes of effects, also where a walk goes
// from causes to effects: what a cause's share is, only the whole list of causes says.
#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "graph/shares/cause_shares.hpp"
#include "graph/walks/helpers.hpp"
#include "graph/walks/order.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <optional>

namespace whence::graph {

using impl::LocalNumbers;
using impl::WalkedLists;

namespace {

/// Adds up shares over the members of a part in topological order.
class Summation {
 public:
  Summation(Snapshot const& snapshot, LocalNumbers const& part, WalkLimits const& limits, schema::Poll& poll)
      : part_{part},
        causes_{snapshot, Direction::ancestors, limits.edge_types},
        shares_{snapshot, limits.has_roles},
        poll_{poll} {}

  /// From effects to causes. `own` is what each member begins with; it is passed on, but not part of the member's sum.
  std::vector<double> to_causes(std::span<std::uint32_t const> order, std::vector<double> const& own) {
    std::vector<double> sums(part_.size());
    for (auto const at : order) {
      auto const passed = own[at] + sums[at];
      bool const goes_on = for_each_cause(
          at, [&](std::uint32_t cause, std::size_t place) { sums[cause] += passed * shares_.share(place); });
      if (!goes_on) break;
    }
    return sums;
  }

  /// From causes to the effects among the first `reached` members.
  std::vector<double> to_effects(std::span<std::uint32_t const> order, std::vector<double> own, std::uint32_t reached) {
    auto passed = std::move(own);
    std::vector<double> sums(reached);
    for (auto const at : order) {
      if (at >= reached) continue;  // a start that no other reaches
      double sum = 0;
      bool const goes_on = for_each_cause(
          at, [&](std::uint32_t cause, std::size_t place) { sum += passed[cause] * shares_.share(place); });
      if (!goes_on) break;
      sums[at] = sum;
      passed[at] += sum;
    }
    return sums;
  }

 private:
  /// Calls `visit(cause, place in the list of causes)` for the walked edges from members to an effect; false where the
  /// poll says to stop.
  template <class Visit>
  bool for_each_cause(std::uint32_t effect, Visit const& visit) {
    auto const list = causes_[part_[effect]];
    shares_.read(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!causes_.is_walked(list.edges[i])) continue;
      auto const cause = part_.find(list.vertices[i]);
      if (cause != LocalNumbers::none) visit(cause, i);
    }
    return !poll_.must_stop(list.size() + 1);
  }

  LocalNumbers const& part_;
  WalkedLists causes_;
  impl::CauseShares shares_;
  schema::Poll& poll_;
};

}  // namespace

Result<std::vector<double>> path_shares(Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction,
                                        WalkLimits const& limits, Reach const& reach,
                                        schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  std::optional<Helpers::LongWalk> long_walk;  // others do not borrow this core
  if (reach.vertices.size() >= long_layer_min) long_walk.emplace(Helpers::of_process());
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : reach.vertices) part.add(v);
  auto const reached = part.size();
  std::vector<std::uint32_t> members;  // that are starts; a deleted start leads nowhere
  for (auto const v : starts) {
    if (!snapshot.is_deleted(v)) members.push_back(part.add(v));
  }
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<double> own(part.size());
  for (auto const member : members) own[member] = 1.0 / static_cast<double>(members.size());

  std::vector<std::uint32_t> order;
  PartGraph const graph{snapshot, part, direction, limits.edge_types, poll};
  if (!completes([&] { order = impl::topological_order(graph); })) return poll.error();
  Summation summation{snapshot, part, limits, poll};
  auto sums = direction == Direction::ancestors ? summation.to_causes(order, own)
                                                : summation.to_effects(order, std::move(own), reached);
  if (poll.has_stopped()) return poll.error();
  sums.resize(reached);
  // Parts that make up a whole may add up to 1 and an ulp.
  for (auto& sum : sums) sum = std::min(sum, 1.0);
  return sums;
}

}  // namespace whence::graph
