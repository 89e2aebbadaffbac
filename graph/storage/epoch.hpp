#pragma once
// Keeps storage that the writer has replaced until no snapshot can be reading it.

#include "graph/storage/id_table.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace whence::graph {

/// What was replaced between two publications.
///
/// Invariants: 1. storage is retired into the epoch that is current then. 2. an epoch owns the one after it,
/// so a snapshot, which owns the epoch it was taken in, keeps everything retired since. 3. a snapshot taken in a later
/// epoch cannot meet that storage: the pointer to its replacement was stored before the later epoch was published.
/// 4. only the writer touches the members, and only of the current epoch; readers own epochs and never look inside.
struct Epoch {
  std::vector<std::unique_ptr<std::byte[]>> blocks = {};
  std::vector<std::unique_ptr<impl::IdTable>> tables = {};
  std::shared_ptr<Epoch> next = {};

  Epoch() = default;
  Epoch(Epoch const&) = delete;
  Epoch& operator=(Epoch const&) = delete;
  /// Frees a chain of any length without recursion. Runs on whichever thread drops the last snapshot.
  ~Epoch();

  [[nodiscard]] bool empty() const noexcept { return blocks.empty() && tables.empty(); }
};

}  // namespace whence::graph
