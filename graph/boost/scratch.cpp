// The per-thread parts of walks.
#include "graph/boost/scratch.hpp"

#include "graph/storage/borrowable.hpp"

#include <algorithm>
#include <numeric>

namespace whence::graph::impl {

VisitedBits& visited_bits() noexcept {
  thread_local VisitedBits bits;
  return bits;
}

VertexId* found_vertices(std::uint32_t vertex_count) {
  thread_local BorrowableArray<VertexId> vertices;
  thread_local std::size_t room = 0;
  if (room <= vertex_count) {
    // Half as much again, for the graph grows. What no walk fills the system gives no memory for.
    std::size_t const wanted = std::size_t{vertex_count} + vertex_count / 2 + 1024;
    room = 0;
    vertices.reset();
    vertices = zeroed_array<VertexId>(wanted);
    room = wanted;
  }
  return vertices.get();
}

LayerBits& layer_bits() noexcept {
  thread_local LayerBits bits;
  return bits;
}

LocalNumbers::LocalNumbers(std::uint32_t vertex_count) {
  thread_local std::vector<std::uint32_t> plus_one;
  if (plus_one.size() < vertex_count) plus_one.resize(vertex_count);
  plus_one_ = plus_one.data();
}

LocalNumbers::~LocalNumbers() {
  for (auto const v : members_) plus_one_[schema::number(v)] = 0;
}

std::uint32_t LocalNumbers::add(VertexId v) {
  auto& slot = plus_one_[schema::number(v)];
  if (slot == 0) {
    members_.push_back(v);
    slot = size();
  }
  return slot - 1;
}

std::vector<std::uint32_t> LocalNumbers::in_order_of_commit() const {
  std::vector<std::uint32_t> order;
  if (members_.empty()) return order;
  auto const [first, last] = std::ranges::minmax(members_);
  constexpr std::uint32_t sparse = 16;  // looking at so many strangers for each member costs more than sorting
  if ((schema::number(last) - schema::number(first)) / sparse < size()) {
    order.reserve(size());
    for (auto v = schema::number(first); v <= schema::number(last); ++v) {
      if (plus_one_[v] != 0) order.push_back(plus_one_[v] - 1);
    }
    return order;
  }
  order.resize(size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [this](std::uint32_t number) { return members_[number]; });
  return order;
}

}  // namespace whence::graph::impl
