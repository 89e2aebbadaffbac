#pragma once
// Everything downstream or upstream of one node, kept up to date transaction by transaction, for the conditions
// `downstream_of` and `upstream_of` of a subscription.

#include "graph/snapshot/delta.hpp"
#include "graph/walks/walk.hpp"
#include "schema/types/ref.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace whence::queries {

using graph::VertexId;

/// Which walk. Equal ones have the same members.
struct WalkSpec {
  schema::NodeRef ref;
  graph::Direction direction = graph::Direction::descendants;
  std::uint32_t depth = graph::depth_unbounded;

  friend auto operator<=>(WalkSpec const&, WalkSpec const&) = default;
};

/// The nodes that `spec.ref` leads to within the depth, itself excluded, after one transaction. One thread at a time.
///
/// Invariants: 1. `members_` holds, for each node reached, its least number of edges from the start. 2. without a node
/// of that ref there are none. A deleted node takes its place again when it is written anew.
class Standing {
 public:
  Standing() = default;
  explicit Standing(WalkSpec spec) : spec_(std::move(spec)) {}

  /// Sets the state to that of `snapshot`. O(V + E) of the part reached.
  void start(graph::Snapshot const& snapshot);

  /// Goes on to the state after `delta`. `after` is its snapshot. Transactions that do not touch this walk may be left
  /// out. O(edges of the delta), where nodes enter also O(their number), where a member was deleted as `start`.
  void advance(graph::Snapshot const& after, graph::Delta const& delta);

  /// Forgets the nodes that entered and that were lost: the next transactions do not touch this walk.
  void settle() noexcept {
    entered_.clear();
    lost_.clear();
  }

  [[nodiscard]] WalkSpec const& spec() const noexcept { return spec_; }
  [[nodiscard]] bool contains(VertexId v) const { return members_.contains(number(v)); }
  /// Whether `v` is the start itself.
  [[nodiscard]] bool is_start(VertexId v) const { return start_ == v; }
  /// The start, where there is a node of that ref.
  [[nodiscard]] std::optional<VertexId> start_vertex() const { return start_; }
  /// About what it takes in memory, where it is indexed by its members too.
  [[nodiscard]] std::size_t weight() const noexcept;
  /// The members in any order.
  [[nodiscard]] std::vector<VertexId> members() const;

  /// The nodes that entered by the last `advance`, by depth, then ref.
  [[nodiscard]] std::span<VertexId const> entered() const noexcept { return entered_; }
  /// Whether `v` was a member before the last `advance`, which deleted it.
  [[nodiscard]] bool has_lost(VertexId v) const;

 private:
  [[nodiscard]] bool is_cut_by(graph::Delta const& delta) const;
  void restart(graph::Snapshot const& after, graph::Delta const& delta);
  void follow(graph::Snapshot const& after, graph::Delta const& delta);
  void spread(graph::Snapshot const& after, VertexId from, std::uint32_t depth);
  void sort_entered(graph::Snapshot const& after);

  WalkSpec spec_;
  std::optional<VertexId> start_ = {};
  std::unordered_map<std::uint32_t, std::uint32_t> members_ = {};  // depth by vertex
  std::vector<VertexId> entered_ = {};
  std::vector<VertexId> lost_ = {};
};

}  // namespace whence::queries
