// One topological order serves all effects: each takes the members that it reaches from a heap, effects before their
// causes, so that the share of a member is whole when it is taken.
#include "graph/shares/each_share.hpp"

#include "graph/boost/scratch.hpp"
#include "graph/shares/cause_shares.hpp"
#include "graph/walks/order.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace whence::graph {

using impl::LocalNumbers;

namespace {

/// Effects of which the steps are counted first.
constexpr std::size_t sampled_max = 256;

/// The ancestors of one effect after the other. Members are named by their rank in the order.
class Upward {
 public:
  Upward(Snapshot const& snapshot, LocalNumbers const& part, std::span<std::uint32_t const> order,
         EachShareBounds const& bounds)
      : part_{part},
        order_{order},
        ranks_(part.size()),
        shares_of_(part.size()),
        depths_(part.size()),
        lists_{snapshot, Direction::ancestors, bounds.edge_types},
        cause_shares_{snapshot, bounds.has_roles} {
    std::uint32_t rank = 0;
    for (auto const member : order) ranks_[member] = rank++;
  }

  /// Appends its causes to `causes`; how many steps that took. Nothing where it must stop: then it is of no more use.
  std::optional<std::uint64_t> walk(std::uint32_t effect, std::uint32_t depth, schema::Poll& poll,
                                    std::vector<CauseShare>& causes) {
    std::uint64_t steps = 0;
    auto const first = ranks_[effect];
    add(first, 1, 1);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, std::greater{});
      auto const at = heap_.back();
      heap_.pop_back();
      auto const share = std::min(shares_of_[at], 1.0);  // parts of a whole may add up to 1 and an ulp
      shares_of_[at] = 0;
      auto const causes_depth = std::exchange(depths_[at], 0);
      if (at != first) causes.push_back({order_[at], share});
      ++steps;
      if (causes_depth > depth) continue;
      auto const direct = causes_of(at);
      steps += direct.size();
      if (poll.must_stop(1 + direct.size())) return std::nullopt;
      for (auto const& cause : direct) {
        if (auto const passed = share * cause.share; passed > 0) add(cause.rank, passed, causes_depth + 1);
      }
    }
    return steps;
  }

 private:
  struct Cause {
    std::uint32_t rank;
    double share;  ///< in the effect, above 0
  };

  void add(std::uint32_t rank, double share, std::uint32_t causes_depth) {
    shares_of_[rank] += share;
    auto& known = depths_[rank];
    if (known != 0) {
      known = std::min(known, causes_depth);
      return;
    }
    known = causes_depth;
    heap_.push_back(rank);
    std::ranges::push_heap(heap_, std::greater{});
  }

  /// The direct causes of a member; valid until the next call.
  std::span<Cause const> causes_of(std::uint32_t rank) {
    read_.clear();
    auto const list = lists_[part_[order_[rank]]];
    if (list.size() > 0) cause_shares_.read(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!lists_.is_walked(list.edges[i])) continue;
      auto const cause = part_.find(list.vertices[i]);
      if (cause == LocalNumbers::none) continue;  // deleted, or the reach was cut
      if (auto const share = cause_shares_.share(i); share > 0) read_.push_back({ranks_[cause], share});
    }
    return read_;
  }

  LocalNumbers const& part_;
  std::span<std::uint32_t const> order_;
  std::vector<std::uint32_t> ranks_;   ///< by member
  std::vector<double> shares_of_;      ///< by rank: gathered so far for the effect at hand
  std::vector<std::uint32_t> depths_;  ///< by rank, in the heap: how far its causes are from the effect; else 0
  std::vector<std::uint32_t> heap_;    ///< ranks, the least first
  std::vector<Cause> read_ = {};       ///< the direct causes of the member that was asked for last
  impl::WalkedLists lists_;
  impl::CauseShares cause_shares_;
};

/// The largest depth for which a sample of the members says that the steps suffice; 1 where they do for none. Nothing
/// where it must stop.
std::optional<std::uint32_t> depth_that_fits(Snapshot const& snapshot, std::span<VertexId const> effects,
                                             std::span<std::uint32_t const> members, std::uint64_t steps_max,
                                             schema::Poll& poll, Upward& upward) {
  auto const stride = members.size() / sampled_max + 1;
  auto const part_max = steps_max / stride;
  std::vector<CauseShare> causes;
  for (auto const depth : {depth_unbounded, 8U, 4U, 2U}) {
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < members.size() && steps <= part_max; i += stride) {
      if (snapshot.is_deleted(effects[i])) continue;
      causes.clear();
      auto const taken = upward.walk(members[i], depth, poll, causes);
      if (!taken) return std::nullopt;
      steps += *taken;
    }
    if (steps <= part_max) return depth;
  }
  return 1;
}

}  // namespace

Result<std::uint32_t> each_share(Snapshot const& snapshot, std::span<VertexId const> effects, Reach const& reach,
                                 EachShareBounds const& bounds, schema::Interrupt const& interrupt,
                                 std::function<void(std::size_t, std::span<CauseShare const>)> const& visit) {
  schema::Poll poll{interrupt};
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : reach.vertices) part.add(v);
  std::vector<std::uint32_t> members;
  members.reserve(effects.size());
  for (auto const v : effects) members.push_back(part.add(v));

  std::vector<std::uint32_t> order;
  PartGraph const graph{snapshot, part, Direction::ancestors, bounds.edge_types, poll};
  if (!completes([&] { order = impl::topological_order(graph); })) return poll.error();
  Upward upward{snapshot, part, order, bounds};
  auto const depth = depth_that_fits(snapshot, effects, members, bounds.steps_max, poll, upward);
  if (!depth) return poll.error();
  std::vector<CauseShare> causes;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    causes.clear();
    if (!snapshot.is_deleted(effects[i]) && !upward.walk(members[i], *depth, poll, causes)) return poll.error();
    visit(i, causes);
  }
  return *depth;
}

}  // namespace whence::graph
