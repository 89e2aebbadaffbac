#pragma once
// A graph as one run of bytes, from which `Graph::from_image` makes it again without reading most of them.

#include "graph/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace whence::graph {

/// Takes an image in order. False ends the writing.
class ImageSink {
 public:
  virtual ~ImageSink() = default;
  [[nodiscard]] virtual bool write(std::span<std::byte const> bytes) = 0;
  /// The next `count` bytes may have any value: the graph fills them before it reads them.
  [[nodiscard]] virtual bool skip(std::uint64_t count) = 0;
};

/// Distinguishes images of one layout, and of one meaning of the edge table, from all others. An image is only for
/// programs that give the same number.
[[nodiscard]] std::uint64_t image_layout() noexcept;

/// Writes the image of what `snapshot` sees, while its graph is written to. False where the sink ended it. The snapshot
/// must be the graph's last publication when it was taken, not an earlier moment. An image holds ids, never contents.
/// O(graph).
[[nodiscard]] bool write_image(Snapshot const& snapshot, ImageSink& sink);

}  // namespace whence::graph
