// In breadth, or by a walk of the graph's own where it has one for these relations. Without a direction the start is an
// end only of a circle that takes no relation twice, which is looked for on the way.
#include "queries/cypher/walks/reachable.hpp"

#include "queries/cypher/evaluate/path_bounds.hpp"

#include <algorithm>
#include <limits>

namespace whence::queries::cypher {
namespace {

constexpr auto no_node = std::numeric_limits<std::uint64_t>::max();

/// Remembers whether a walk was asked to stop.
class Watched final : public schema::Interrupt {
 public:
  explicit Watched(schema::Interrupt const& inner) : inner_(inner) {}
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    stop_ = inner_.check(steps);
    return stop_;
  }
  [[nodiscard]] schema::Stop stop() const noexcept { return stop_; }

 private:
  schema::Interrupt const& inner_;
  mutable schema::Stop stop_ = schema::Stop::none;
};

}  // namespace

std::vector<std::uint32_t> const& Reachable::from(Expansion const& expansion, RunState& state, std::uint64_t start,
                                                  std::optional<std::uint64_t> wanted) {
  reached_.clear();
  auto const most = most_of(*expansion.relation);
  bool const takes_start = least_of(*expansion.relation) == 0;
  if (takes_start) {
    reached_.push_back(static_cast<std::uint32_t>(start));
    if (wanted == start) return reached_;
  }
  if (expansion.has_no_type || most == 0) return reached_;
  if (!wanted) {
    Watched const watched{state.interrupt()};
    if (auto own = expansion.graph->walk(start, expansion.direction, expansion.types, most, watched)) {
      if (watched.stop() != schema::Stop::none) state.stopped(watched.stop());
      static_cast<void>(state.spend(own->size() + 1));
      if (!takes_start) {
        reached_ = *std::move(own);
      } else {
        std::erase(*own, static_cast<std::uint32_t>(start));
        reached_.insert(reached_.end(), own->begin(), own->end());
      }
      return reached_;
    }
  }
  seen_.resize(expansion.graph->node_bound());
  // Undirected, the start is met again on the way back from every neighbour, which is no path.
  if (takes_start || expansion.direction == Direction::any) seen_.insert(start);
  static_cast<void>(walk(expansion, state, start, wanted.value_or(no_node)));
  return reached_;
}

bool Reachable::walk(Expansion const& expansion, RunState& state, std::uint64_t start, std::uint64_t wanted) {
  auto const most = most_of(*expansion.relation);
  bool const seeks_circle = expansion.direction == Direction::any && least_of(*expansion.relation) > 0 &&
                            (wanted == no_node || wanted == start);
  if (seeks_circle) {
    if (!circle_) circle_.emplace(state);
    if (!circle_->begin(expansion.graph->node_bound(), start, most)) return false;
    circle_->finish(start);
  }
  // What was reached is the queue, too; the start is expanded once, before it.
  std::size_t at = reached_.size();
  auto const expand = [&](std::uint64_t node, std::uint64_t depth) {
    found_.clear();
    relations_.clear();
    expansion.graph->neighbours(node, expansion.direction, expansion.types, found_,
                                seeks_circle ? &relations_ : nullptr);
    if (!state.spend(found_.size() + 1)) return false;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      auto const target = found_[i];
      bool const is_new = seen_.insert(target);
      if (seeks_circle && !circle_->is_found()) {
        circle_->meet(node, depth, target, relations_[i], is_new);
        if (circle_->is_found()) {
          reached_.push_back(static_cast<std::uint32_t>(start));
          if (wanted == start) return false;
        }
      }
      if (!is_new) continue;
      reached_.push_back(target);
      if (target == wanted) return false;
    }
    return true;
  };
  if (!expand(start, 0)) return false;
  for (std::uint64_t depth = 1; depth < most && at < reached_.size(); ++depth) {
    auto const end = reached_.size();
    if (seeks_circle) {
      for (auto i = at; i < end; ++i) circle_->finish(reached_[i]);
    }
    for (; at < end; ++at) {
      if (reached_[at] != start && !expand(reached_[at], depth)) return false;
    }
  }
  return true;
}

}  // namespace whence::queries::cypher
