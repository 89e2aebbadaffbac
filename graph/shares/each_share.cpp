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
#include <vector>

namespace whence::graph {

using impl::LocalNumbers;

namespace {

/// The ancestors of one effect after the other.
class Upward {
 public:
  Upward(Snapshot const& snapshot, LocalNumbers const& part, std::span<std::uint32_t const> order,
         EachShareBounds const& bounds)
      : part_{part},
        order_{order},
        ranks_(part.size()),
        shares_of_(part.size()),
        is_queued_(part.size()),
        lists_{snapshot, Direction::ancestors, bounds.edge_types},
        cause_shares_{snapshot, bounds.has_roles} {
    std::uint32_t rank = 0;
    for (auto const member : order) ranks_[member] = rank++;
  }

  /// Appends its causes to `causes`; how many steps that took. Nothing where it must stop: then it is of no more use.
  std::optional<std::uint64_t> walk(std::uint32_t effect, double share_min, schema::Poll& poll,
                                    std::vector<CauseShare>& causes) {
    std::uint64_t steps = 0;
    add(effect, 1);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, std::greater{});
      auto const at = order_[heap_.back()];
      heap_.pop_back();
      auto const share = std::min(shares_of_[at], 1.0);  // parts of a whole may add up to 1 and an ulp
      shares_of_[at] = 0;
      is_queued_[at] = 0;
      if (at != effect) causes.push_back({at, share});
      auto const list = lists_[part_[at]];
      steps += 1 + list.size();
      if (poll.must_stop(1 + list.size())) return std::nullopt;
      if (list.size() == 0 || share < share_min) continue;
      cause_shares_.read(list);
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!lists_.is_walked(list.edges[i])) continue;
        auto const cause = part_.find(list.vertices[i]);
        if (cause == LocalNumbers::none) continue;  // deleted, or the reach was cut
        auto const passed = share * cause_shares_.share(i);
        if (passed > 0) add(cause, passed);
      }
    }
    return steps;
  }

 private:
  void add(std::uint32_t member, double share) {
    shares_of_[member] += share;
    if (is_queued_[member] != 0) return;
    is_queued_[member] = 1;
    heap_.push_back(ranks_[member]);
    std::ranges::push_heap(heap_, std::greater{});
  }

  LocalNumbers const& part_;
  std::span<std::uint32_t const> order_;
  std::vector<std::uint32_t> ranks_;     ///< by member: its place in the order
  std::vector<double> shares_of_;        ///< by member: gathered so far for the effect at hand
  std::vector<std::uint8_t> is_queued_;  ///< by member
  std::vector<std::uint32_t> heap_;      ///< ranks, the least first
  impl::WalkedLists lists_;
  impl::CauseShares cause_shares_;
};

}  // namespace

Result<bool> each_share(Snapshot const& snapshot, std::span<VertexId const> effects, Reach const& reach,
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
  std::vector<CauseShare> causes;
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    causes.clear();
    if (!snapshot.is_deleted(effects[i])) {
      auto const taken = upward.walk(members[i], bounds.share_min, poll, causes);
      if (!taken) return poll.error();
      steps += *taken;
      if (steps > bounds.steps_max) return false;
    }
    visit(i, causes);
  }
  return true;
}

}  // namespace whence::graph
