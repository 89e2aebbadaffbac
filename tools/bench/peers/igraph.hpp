#pragma once
// igraph as a peer, if it was installed at build time.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace whence::bench {

/// The workload as an igraph graph; without igraph an empty shell.
class IgraphPeer {
 public:
  IgraphPeer(std::uint32_t vertices, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges);
  ~IgraphPeer();
  IgraphPeer(IgraphPeer const&) = delete;
  IgraphPeer& operator=(IgraphPeer const&) = delete;

  [[nodiscard]] static bool is_available() noexcept;

  /// Vertices reached: its breadth-first search where unbounded, its neighbourhood where bounded.
  [[nodiscard]] std::size_t reach(std::uint32_t start, bool is_ancestors, std::uint32_t depth);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::bench
