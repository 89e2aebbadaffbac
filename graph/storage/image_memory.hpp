#pragma once
// Memory that holds the image of a graph: made by the reader of the file.

#include <cstddef>
#include <span>

namespace whence::graph {

/// Owns the bytes of an image, aligned to 4,096, which the graph then reads and changes. What is changed must stay in
/// this memory: a file that it is mapped from does not change.
class ImageMemory {
 public:
  ImageMemory() = default;
  ImageMemory(ImageMemory const&) = delete;
  ImageMemory& operator=(ImageMemory const&) = delete;
  virtual ~ImageMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() const noexcept = 0;
};

}  // namespace whence::graph
