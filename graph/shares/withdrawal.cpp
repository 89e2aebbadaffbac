// Causes before their effects: what a vertex loses is known when it is looked at.
#include "graph/shares/withdrawal.hpp"

#include "graph/boost/scratch.hpp"
#include "graph/shares/cause_shares.hpp"
#include "graph/walks/order.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::graph {

using impl::LocalNumbers;

namespace {

/// The causes of one kind that a vertex has, and those of them that are left.
struct Left {
  std::uint32_t all = 0;
  std::uint32_t left = 0;
};

}  // namespace

Result<Withdrawal> withdraw(Snapshot const& snapshot, std::span<VertexId const> starts, Reach const& reach,
                            std::function<CauseKind(VertexId)> const& kind_of, schema::Interrupt const& interrupt,
                            schema::EdgeTypeSet edge_types) {
  schema::Poll poll{interrupt};
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : reach.vertices) part.add(v);
  auto const reached = part.size();
  for (auto const v : starts) part.add(v);
  Withdrawal made{std::vector<std::uint8_t>(part.size()), std::vector<double>(part.size())};
  std::vector<std::uint8_t> is_start(part.size());
  for (auto const v : starts) {
    if (!snapshot.is_deleted(v)) is_start[part.find(v)] = 1;
  }

  std::vector<std::uint32_t> order;
  PartGraph const graph{snapshot, part, Direction::descendants, edge_types, poll};
  if (!completes([&] { order = impl::topological_order(graph); })) return poll.error();
  impl::WalkedLists const causes{snapshot, Direction::ancestors, edge_types};
  impl::CauseShares shares{snapshot, false};
  for (auto const at : order) {
    if (is_start[at] != 0) {
      made.has_fallen[at] = 1;
      made.lost[at] = 1;
      continue;
    }
    auto const list = causes[part[at]];
    if (poll.must_stop(1 + list.size())) return poll.error();
    shares.read(list);
    std::array<Left, cause_kind_count> kinds = {};
    double lost = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!causes.is_walked(list.edges[i]) || (list.is_marked && causes.is_deleted(list.vertices[i]))) continue;
      auto& kind = kinds[static_cast<std::size_t>(kind_of(list.vertices[i]))];
      ++kind.all;
      auto const cause = part.find(list.vertices[i]);
      if (cause == LocalNumbers::none || made.has_fallen[cause] == 0) ++kind.left;
      if (cause != LocalNumbers::none) lost += made.lost[cause] * shares.share(i);
    }
    bool const falls = std::ranges::any_of(kinds, [](Left const& kind) { return kind.all > 0 && kind.left == 0; });
    made.has_fallen[at] = falls ? 1 : 0;
    made.lost[at] = falls ? 1 : std::min(lost, 1.0);
  }
  made.has_fallen.resize(reached);
  made.lost.resize(reached);
  std::erase_if(order, [&](std::uint32_t at) { return at >= reached; });
  made.order = std::move(order);
  return made;
}

}  // namespace whence::graph
