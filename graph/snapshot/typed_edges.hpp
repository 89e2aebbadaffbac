#pragma once
// Many lists of neighbours, one after the other: asked for ahead of time, and cut to edges of some types.

#include "graph/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::graph {

/// Asks the memory for the lists of vertices that will be read soon, causes or effects, without waiting for it: lists
/// lie apart, and a reader that waits for each in turn waits most of its time. O(vertices). Safe to call from any
/// thread.
void ask_for_lists(Snapshot const& snapshot, bool are_causes, std::span<std::uint32_t const> vertices) noexcept;

// In both below, bit n of `types` means the type of number n, and a relation variant has a bit of its own. `list`
// comes from the snapshot. O(list). Safe to call from any thread.

/// How many edges of the list have one of the types.
[[nodiscard]] std::size_t count_of_types(Snapshot const& snapshot, Neighbours const& list,
                                         std::uint64_t types) noexcept;
/// Appends the numbers of the neighbours that such edges lead to, in the list's order.
void append_of_types(Snapshot const& snapshot, Neighbours const& list, std::uint64_t types,
                     std::vector<std::uint32_t>& neighbours);

}  // namespace whence::graph
