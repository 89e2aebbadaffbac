// For walks that mostly wait for memory: lists are asked for before they are read, types are read as stretches of their
// column, and a list of one type alone is not looked at edge by edge.
#include "graph/snapshot/typed_edges.hpp"

#include "graph/snapshot/access.hpp"

#include <algorithm>
#include <cstring>

namespace whence::graph {
namespace {

/// Calls `visit(i, is_of_types)` for each edge. Edges ascend along a list: a chunk of the column of types is looked up
/// once, not for each edge.
template <class Visit>
void visit_types(Snapshot const& snapshot, std::span<EdgeId const> edges, std::uint64_t types, Visit const& visit) {
  auto const& column = impl::Access::storage(snapshot).edge_types;
  for (std::size_t at = 0; at < edges.size();) {
    auto const first = schema::number(edges[at]);
    auto const run = column.run(first, schema::number(edges.back()) + 1);
    for (; at < edges.size() && schema::number(edges[at]) - first < run.size(); ++at)
      visit(at, (types >> static_cast<unsigned>(run[schema::number(edges[at]) - first])) & 1U);
  }
}

/// Whether the edges were added one after the other, all of one type, and that is one of `types`: so it is for most
/// lists of causes, which come with their vertex. Then no edge need be looked at alone.
bool are_all_of_types(Snapshot const& snapshot, std::span<EdgeId const> edges, std::uint64_t types) noexcept {
  if (edges.empty()) return true;
  auto const first = schema::number(edges.front());
  auto const end = schema::number(edges.back()) + 1;
  if (end - first != edges.size()) return false;
  auto const run = impl::Access::storage(snapshot).edge_types.run(first, end);
  return run.size() == edges.size() && ((types >> static_cast<unsigned>(run.front())) & 1U) != 0 &&
         std::memcmp(run.data(), run.data() + 1, run.size() - 1) == 0;
}

}  // namespace

void ask_for_lists(Snapshot const& snapshot, bool are_causes, std::span<std::uint32_t const> vertices) noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t most = 4 * line;  // of a longer list the processor foresees the rest
  auto const& headers =
      impl::Access::storage(snapshot).lists(are_causes ? impl::ListKind::causes : impl::ListKind::effects);
  for (auto const vertex : vertices) {
    auto const& header = headers[vertex];
    auto const* const block = header.block_now().bytes();
    if (block == nullptr) continue;
    auto const size = impl::Block::bytes_for(header.count.load(std::memory_order_relaxed));
    for (std::size_t at = 0; at < std::min(size, most); at += line) __builtin_prefetch(block + at);
  }
}

std::size_t count_of_types(Snapshot const& snapshot, Neighbours const& list, std::uint64_t types) noexcept {
  if (are_all_of_types(snapshot, list.edges, types)) return list.size();
  std::size_t count = 0;
  visit_types(snapshot, list.edges, types, [&](std::size_t, std::uint64_t is_one) { count += is_one; });
  return count;
}

void append_of_types(Snapshot const& snapshot, Neighbours const& list, std::uint64_t types,
                     std::vector<std::uint32_t>& neighbours) {
  auto count = neighbours.size();
  neighbours.resize(count + list.size());
  auto* const out = neighbours.data();
  if (are_all_of_types(snapshot, list.edges, types)) {
    for (std::size_t i = 0; i < list.size(); ++i) out[count + i] = schema::number(list.vertices[i]);
    return;
  }
  // Each is written, and stays where it is one: no branch depends on the type.
  visit_types(snapshot, list.edges, types, [&](std::size_t i, std::uint64_t is_one) {
    out[count] = schema::number(list.vertices[i]);
    count += is_one;
  });
  neighbours.resize(count);
}

}  // namespace whence::graph
