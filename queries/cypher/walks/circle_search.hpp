#pragma once
// Whether a walk along undirected relations meets a circle through its start.

#include "queries/cypher/state/state.hpp"

#include <cstdint>
#include <vector>

namespace whence::queries::cypher {

/// Whether a walk in breadth along undirected relations meets a circle through its start: a path with no relation
/// twice that comes back. Each node knows by which relation of the start it was reached (its branch). Two nodes of
/// different branches are joined to the start by ways that share no relation, so a relation between them closes a
/// circle; the shortest circle is found so, because its ends lie in different branches. O(1) a relation, 5 bytes a
/// node.
class CircleSearch {
 public:
  explicit CircleSearch(RunState& state) : state_(state) {}
  ~CircleSearch() { state_.release(bytes_); }
  CircleSearch(CircleSearch const&) = delete;
  CircleSearch& operator=(CircleSearch const&) = delete;

  /// Begins a walk. False: there is no memory for it.
  [[nodiscard]] bool begin(std::uint64_t node_bound, std::uint64_t start, std::uint64_t most);
  /// `node`, at `depth` from the start, has this relation to `other`, which was reached by it just now, or before.
  void meet(std::uint64_t node, std::uint64_t depth, std::uint64_t other, std::uint64_t relation, bool is_new);
  /// `node` is of the level that is walked from next.
  void finish(std::uint64_t node) { is_level_done_[node] = true; }

  [[nodiscard]] bool is_found() const noexcept { return is_found_; }

 private:
  void close(std::uint64_t length) { is_found_ = is_found_ || length <= most_; }

  RunState& state_;
  std::uint64_t start_ = 0;
  std::uint64_t most_ = 0;
  bool is_found_ = false;
  std::vector<std::uint32_t> branches_;         ///< by node, of those that were reached: places in `first_relations_`
  std::vector<std::uint64_t> first_relations_;  ///< of the start, each the first on the way to its branch
  std::vector<bool> is_level_done_;             ///< nodes of the level that is walked from, and of those before
  std::uint64_t bytes_ = 0;
};

}  // namespace whence::queries::cypher
