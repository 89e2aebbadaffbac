// Members are found by following new edges outwards from those already there. A deletion may cut any number of paths,
// so it starts the walk again.

#include "queries/live/standing.hpp"

#include "queries/view/order.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace whence::queries {
namespace {

using graph::Direction;
using graph::EventOp;
using graph::Snapshot;

/// An edge of influence, seen the way the walk goes.
struct Step {
  VertexId near;
  VertexId far;
};

std::optional<Step> step_of(Snapshot const& snapshot, graph::DeltaEdge const& edge, Direction direction) {
  auto const influence = schema::influence_of(snapshot.type(edge.edge), snapshot.type(edge.from));
  if (influence == schema::Influence::none) return std::nullopt;
  bool const from_is_cause = influence == schema::Influence::along;
  bool const from_is_near = from_is_cause == (direction == Direction::descendants);
  return from_is_near ? Step{edge.from, edge.to} : Step{edge.to, edge.from};
}

}  // namespace

void Standing::start(Snapshot const& snapshot) {
  members_.clear();
  settle();
  start_ = snapshot.find(spec_.ref.type, spec_.ref.id);
  if (!start_) return;
  schema::NoInterrupt const never;
  auto const reached = graph::reach(snapshot, {&*start_, 1}, spec_.direction, {.depth = spec_.depth}, never);
  members_.reserve(reached->vertices.size());
  std::size_t begin = 0;
  for (std::uint32_t depth = 1; depth <= reached->layer_ends.size(); ++depth) {
    std::size_t const end = reached->layer_ends[depth - 1];
    for (; begin < end; ++begin) members_.emplace(number(reached->vertices[begin]), depth);
  }
}

void Standing::advance(Snapshot const& after, graph::Delta const& delta) {
  settle();
  if (is_cut_by(delta)) {
    restart(after, delta);
  } else {
    follow(after, delta);
  }
  sort_entered(after);
}

bool Standing::is_cut_by(graph::Delta const& delta) const {
  return std::ranges::any_of(delta.events, [&](graph::DeltaEvent const& event) {
    return event.op == EventOp::remove && (is_start(event.vertex) || contains(event.vertex));
  });
}

void Standing::restart(Snapshot const& after, graph::Delta const& delta) {
  auto const before = std::exchange(members_, {});
  start(after);
  for (auto const& event : delta.events) {
    if (event.op == EventOp::remove && before.contains(number(event.vertex))) lost_.push_back(event.vertex);
  }
  for (auto const& member : members_) {
    if (!before.contains(member.first)) entered_.push_back(VertexId{member.first});
  }
}

void Standing::follow(Snapshot const& after, graph::Delta const& delta) {
  if (!start_) {
    start_ = after.find(spec_.ref.type, spec_.ref.id);
    if (!start_) return;
  }
  for (auto const& event : delta.events) {
    for (auto const& edge : delta.edges_of(event)) {
      auto const step = step_of(after, edge, spec_.direction);
      if (!step || after.is_deleted(step->far)) continue;  // deleted after the edge, by the same transaction
      auto const known = members_.find(number(step->near));
      if (is_start(step->near)) {
        spread(after, step->far, 1);
      } else if (known != members_.end()) {
        spread(after, step->far, known->second + 1);
      }
    }
  }
}

/// `from` is at most `depth` edges away, and each next node at most one more. Follows only nodes that this brings
/// nearer.
void Standing::spread(Snapshot const& after, VertexId from, std::uint32_t depth) {
  std::deque<std::pair<VertexId, std::uint32_t>> waiting{{from, depth}};
  for (; !waiting.empty(); waiting.pop_front()) {
    auto const [vertex, distance] = waiting.front();
    if (distance > spec_.depth || is_start(vertex)) continue;
    auto const [known, is_new] = members_.try_emplace(number(vertex), distance);
    if (is_new) entered_.push_back(vertex);
    if (!is_new && known->second <= distance) continue;
    known->second = distance;
    auto const next = spec_.direction == Direction::descendants ? after.effects(vertex) : after.causes(vertex);
    for (auto const far : next.vertices) waiting.emplace_back(far, distance + 1);
  }
}

void Standing::sort_entered(Snapshot const& after) {
  std::ranges::sort(entered_, [&](VertexId a, VertexId b) {
    auto const depth_a = members_.at(number(a));
    auto const depth_b = members_.at(number(b));
    return depth_a != depth_b ? depth_a < depth_b : compare_refs(after, a, b) < 0;
  });
}

std::size_t Standing::weight() const noexcept {
  constexpr std::size_t bytes_per_member = 48;  // a node of the map and its bucket, a place in the index
  return members_.size() * bytes_per_member;
}

std::vector<VertexId> Standing::members() const {
  std::vector<VertexId> all;
  all.reserve(members_.size());
  for (auto const& member : members_) all.push_back(VertexId{member.first});
  return all;
}

bool Standing::has_lost(VertexId v) const {
  return std::ranges::find(lost_, v) != lost_.end();
}

}  // namespace whence::queries
