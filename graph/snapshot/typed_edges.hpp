#pragma once
// The edges of some types in a list of neighbours.

#include "graph/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::graph {

// In both, bit n of `types` stands for the type of number n, and a relation variant has a bit of its own. `list` comes
// from the snapshot. O(list). Safe to call from any thread.

/// How many edges of the list have one of the types.
[[nodiscard]] std::size_t count_of_types(Snapshot const& snapshot, Neighbours const& list,
                                         std::uint64_t types) noexcept;
/// Appends the numbers of the neighbours that such edges lead to, in the list's order.
void append_of_types(Snapshot const& snapshot, Neighbours const& list, std::uint64_t types,
                     std::vector<std::uint32_t>& neighbours);

}  // namespace whence::graph
