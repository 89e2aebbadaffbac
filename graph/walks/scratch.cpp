// The per-thread parts of walks.
#include "graph/walks/scratch.hpp"

namespace whence::graph::impl {

VisitedBits& visited_bits() noexcept {
  thread_local VisitedBits bits;
  return bits;
}

LocalNumbers::LocalNumbers(std::uint32_t vertex_count) {
  thread_local std::vector<std::uint32_t> plus_one;
  if (plus_one.size() < vertex_count) plus_one.resize(vertex_count);
  plus_one_ = &plus_one;
}

LocalNumbers::~LocalNumbers() {
  for (auto const v : members_) (*plus_one_)[schema::number(v)] = 0;
}

std::uint32_t LocalNumbers::add(VertexId v) {
  auto& slot = (*plus_one_)[schema::number(v)];
  if (slot == 0) {
    members_.push_back(v);
    slot = size();
  }
  return slot - 1;
}

}  // namespace whence::graph::impl
