#include "queries/cypher/walks/circle_search.hpp"

namespace whence::queries::cypher {

bool CircleSearch::begin(std::uint64_t node_bound, std::uint64_t start, std::uint64_t most) {
  start_ = start;
  most_ = most;
  is_found_ = false;
  first_relations_.clear();
  if (branches_.size() < node_bound) {
    auto const more = (node_bound - branches_.size()) * (sizeof(std::uint32_t) + 1);
    bytes_ += more;
    if (!state_.hold(more)) return false;
    branches_.resize(node_bound);
  }
  is_level_done_.assign(node_bound, false);
  return true;
}

void CircleSearch::meet(std::uint64_t node, std::uint64_t depth, std::uint64_t other, std::uint64_t relation,
                        bool is_new) {
  if (node == start_) {
    if (other == start_ || !is_new) return close(other == start_ ? 1 : 2);
    branches_[other] = static_cast<std::uint32_t>(first_relations_.size());
    first_relations_.push_back(relation);
  } else if (is_new) {
    branches_[other] = branches_[node];
  } else if (other == start_) {
    if (relation != first_relations_[branches_[node]]) close(depth + 1);
  } else if (branches_[other] != branches_[node]) {
    close(depth + 1 + depth + (is_level_done_[other] ? 0 : 1));
  }
}

}  // namespace whence::queries::cypher
