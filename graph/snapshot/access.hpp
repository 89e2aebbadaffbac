#pragma once
// The way from a snapshot to the storage it reads, for the rest of graph/.

#include "graph/snapshot/snapshot.hpp"
#include "graph/storage/storage.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace whence::graph::impl {

/// Lets walks read a snapshot's storage without a call per vertex.
struct Access {
  [[nodiscard]] static Storage const& storage(Snapshot const& snapshot) noexcept { return *snapshot.storage_; }
  [[nodiscard]] static std::uint32_t edges_seen(Snapshot const& snapshot) noexcept { return snapshot.edge_count_; }
  [[nodiscard]] static Snapshot make(Storage const& storage, std::shared_ptr<Epoch const> epoch, std::uint32_t tx,
                                     std::uint32_t vertex_count, std::uint32_t edge_count) {
    return {storage, std::move(epoch), tx, vertex_count, edge_count};
  }
};

}  // namespace whence::graph::impl
