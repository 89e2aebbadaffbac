// In breadth from both ends, a layer at a time on the side with the smaller front, until a node is met that the other
// side has seen. The path is then read back from the meeting to both ends.
#include "queries/cypher/walks/meeting.hpp"

#include "queries/cypher/evaluate/path_bounds.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {

void Meeting::look(Expansion const& expansion, std::uint64_t node, Direction direction) {
  ends_.clear();
  if (direction == Direction::any) return expansion.graph->relations(node, direction, expansion.types, ends_);
  nodes_.clear();
  ids_.clear();
  expansion.graph->neighbours(node, direction, expansion.types, nodes_, &ids_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    bool const is_out = direction == Direction::out;
    ends_.push_back({.id = ids_[i], .from = is_out ? node : nodes_[i], .to = is_out ? nodes_[i] : node});
  }
}

std::optional<Meeting::Met> Meeting::step(Expansion const& expansion, RunState& state, Side& side, Side const& other) {
  auto const end = side.found.size();
  for (auto at = side.front; at < end; ++at) {
    auto const node = side.found[at].node;
    look(expansion, node, side.direction);
    if (!state.spend(ends_.size() + 1)) return std::nullopt;
    for (auto const& ends : ends_) {
      auto const target = ends.other_end(node);
      Found const next{.node = static_cast<std::uint32_t>(target),
                       .by = static_cast<std::uint32_t>(at),
                       .relation = ends.id,
                       .is_from_before = ends.from == node};
      // What the other side has found nearer than its last layer would have been met before: this is the shortest.
      if (other.seen.contains(target)) return Met{next, target};
      if (side.seen.insert(target)) side.found.push_back(next);
    }
  }
  side.front = end;
  auto const bytes = (side.found.size() - end) * sizeof(Found);
  held_ += bytes;
  static_cast<void>(state.hold(bytes));
  return std::nullopt;
}

std::optional<Path> Meeting::find(Expansion const& expansion, RunState& state, std::uint64_t from, std::uint64_t to) {
  if (expansion.has_no_type) return std::nullopt;
  auto found = search(expansion, state, from, to);
  state.release(std::exchange(held_, 0));
  return found;
}

std::optional<Path> Meeting::search(Expansion const& expansion, RunState& state, std::uint64_t from, std::uint64_t to) {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    auto& side = sides_[i];
    auto const start = static_cast<std::uint32_t>(i == 0 ? from : to);
    side.direction = i == 0 ? expansion.direction : reversed(expansion.direction);
    side.found.assign(1, {.node = start, .by = 0, .relation = 0, .is_from_before = false});
    side.seen.resize(expansion.graph->node_bound());
    side.seen.insert(start);
    side.front = 0;
  }
  for (std::uint64_t length = 1; length <= most_of(*expansion.relation); ++length) {
    bool const is_forward = sides_[0].front_size() <= sides_[1].front_size();
    auto& side = sides_[is_forward ? 0 : 1];
    if (side.front_size() == 0) return std::nullopt;
    if (auto const met = step(expansion, state, side, sides_[is_forward ? 1 : 0]))
      return path(expansion, is_forward, *met);
    if (state.failed()) return std::nullopt;
  }
  return std::nullopt;
}

Path Meeting::path(Expansion const& expansion, bool is_forward, Met const& met) const {
  auto const relation = [&](std::uint64_t before, std::uint64_t after, Found const& found) {
    return Relation{.graph = expansion.graph,
                    .id = found.relation,
                    .from = static_cast<std::uint32_t>(found.is_from_before ? before : after),
                    .to = static_cast<std::uint32_t>(found.is_from_before ? after : before)};
  };
  // From the meeting back to the start of the side that met, then from the same place to the start of the other.
  auto const& side = sides_[is_forward ? 0 : 1];
  auto const& other = sides_[is_forward ? 1 : 0];
  Path made;
  made.nodes.push_back(Node{expansion.graph, met.node});
  auto const follow = [&](std::vector<Found> const& found, Found at) {
    for (;;) {
      auto const before = found[at.by].node;
      made.relations.push_back(relation(before, at.node, at));
      made.nodes.push_back(Node{expansion.graph, before});
      if (at.by == 0) return;
      at = found[at.by];
    }
  };
  follow(side.found, met.last);
  std::ranges::reverse(made.nodes);
  std::ranges::reverse(made.relations);
  auto const there = std::ranges::find(other.found, static_cast<std::uint32_t>(met.node), &Found::node);
  if (there != other.found.begin()) follow(other.found, *there);
  if (!is_forward) {
    std::ranges::reverse(made.nodes);
    std::ranges::reverse(made.relations);
  }
  return made;
}

}  // namespace whence::queries::cypher
