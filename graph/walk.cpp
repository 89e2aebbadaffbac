// Breadth-first reach along influence: the loop under most questions.
#include "graph/walk.hpp"

#include "graph/impl/poll.hpp"
#include "graph/impl/scratch.hpp"
#include "graph/impl/walked.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace whence::graph {

namespace {

/// Clears the bits of what a walk has found, also when the walk ends by an exception.
class BitsInUse {
 public:
  BitsInUse(impl::VisitedBits& bits, std::vector<VertexId> const& done, std::vector<VertexId> const& next) noexcept
      : bits_{bits}, done_{done}, next_{next} {}
  ~BitsInUse() {
    bits_.clear(done_);
    bits_.clear(next_);
  }
  BitsInUse(BitsInUse const&) = delete;
  BitsInUse& operator=(BitsInUse const&) = delete;

 private:
  impl::VisitedBits& bits_;
  std::vector<VertexId> const& done_;
  std::vector<VertexId> const& next_;
};

/// One walk: what it reads, how far it may go, what it has found.
class Walk {
 public:
  Walk(Snapshot const& snapshot, Direction direction, WalkLimits const& limits, impl::Poll& poll, Reach& reach)
      : lists_{snapshot, direction, limits.edge_types},
        limits_{limits},
        poll_{poll},
        reach_{reach},
        bits_{impl::visited_bits()} {
    bits_.make_room(snapshot.vertex_count());
  }

  void run(std::span<VertexId const> starts) {
    BitsInUse const in_use{bits_, reach_.vertices, next_};
    auto layer = starts;
    for (std::uint32_t depth = 0; !layer.empty(); ++depth) {
      if (depth == limits_.depth) {
        reach_.is_cut_by_depth = has_more(layer);
        return;
      }
      expand(layer);
      if (next_.empty()) return;
      auto const begin = reach_.vertices.size();
      reach_.vertices.insert(reach_.vertices.end(), next_.begin(), next_.end());
      next_.clear();
      reach_.layer_ends.push_back(static_cast<std::uint32_t>(reach_.vertices.size()));
      if (poll_.has_stopped() || reach_.is_cut_by_vertices) return;
      layer = std::span{reach_.vertices}.subspan(begin);
    }
  }

 private:
  // How far ahead in a layer the header, and the block it points to, are asked for.
  static constexpr std::size_t header_ahead = 16;
  static constexpr std::size_t block_ahead = 8;

  void prefetch(std::span<VertexId const> layer, std::size_t at) const noexcept {
    if (at + header_ahead < layer.size()) lists_.prefetch_header(layer[at + header_ahead]);
    if (at + block_ahead < layer.size()) lists_.prefetch_block(layer[at + block_ahead]);
  }

  void expand(std::span<VertexId const> layer) {
    auto const room = limits_.vertices_max - reach_.vertices.size();
    for (std::size_t at = 0; at < layer.size(); ++at) {
      prefetch(layer, at);
      auto const list = lists_[layer[at]];
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!lists_.is_walked(list.edges[i])) continue;
        if (bits_.insert(list.vertices[i])) next_.push_back(list.vertices[i]);
      }
      if (next_.size() > room) {
        cut_to(room);
        return;
      }
      if (poll_.must_stop(list.size() + 1)) return;
    }
  }

  // One vertex's list may overshoot: what is too much is taken back. The walk ends here, so its bits may go at once.
  void cut_to(std::uint64_t room) {
    bits_.clear(std::span{next_}.subspan(room));
    next_.resize(room);
    reach_.is_cut_by_vertices = true;
  }

  [[nodiscard]] bool has_more(std::span<VertexId const> layer) {
    for (auto const v : layer) {
      auto const list = lists_[v];
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (lists_.is_walked(list.edges[i]) && !bits_.contains(list.vertices[i])) return true;
      }
      if (poll_.must_stop(list.size() + 1)) return false;
    }
    return false;
  }

  impl::WalkedLists lists_;
  WalkLimits const& limits_;
  impl::Poll& poll_;
  Reach& reach_;
  impl::VisitedBits& bits_;
  std::vector<VertexId> next_;
};

}  // namespace

std::uint32_t Reach::depth_of(std::size_t position) const {
  assert(position < vertices.size());
  auto const end = std::upper_bound(layer_ends.begin(), layer_ends.end(), position);
  return static_cast<std::uint32_t>(end - layer_ends.begin()) + 1;
}

Result<Reach> reach(Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction,
                    WalkLimits const& limits, schema::Interrupt const& interrupt) {
  Reach result;
  impl::Poll poll{interrupt};
  Walk{snapshot, direction, limits, poll, result}.run(starts);
  if (poll.has_stopped()) return poll.error();
  return result;
}

bool influences(Snapshot const& snapshot, VertexId cause, VertexId effect) {
  if (cause == effect) return true;
  impl::WalkedLists const causes{snapshot, Direction::ancestors, schema::EdgeTypeSet::all()};
  std::vector<VertexId> const none;
  std::vector<VertexId> found{effect};
  auto& bits = impl::visited_bits();
  bits.make_room(snapshot.vertex_count());
  BitsInUse const in_use{bits, found, none};
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (auto const next : causes[found[at]].vertices) {
      if (next == cause) return true;
      if (bits.insert(next)) found.push_back(next);
    }
  }
  return false;
}

}  // namespace whence::graph
