#pragma once
// Counts the memory of a parser, to limit what a document may cost and to know when to replace the parser.

#include <cstddef>
#include <new>

#include <xercesc/framework/MemoryManager.hpp>

namespace whence::schema::xml {

/// Memory of one parser of one thread. Outlives the parser.
class CountingMemory final : public xercesc::MemoryManager {
 public:
  /// Bytes allocated and not freed.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  xercesc::MemoryManager* getExceptionMemoryManager() override { return this; }

  void* allocate(XMLSize_t size) override {
    auto* const block = static_cast<std::byte*>(::operator new(header + size));
    new (block) std::size_t{size};
    bytes_ += size;
    return block + header;
  }

  void deallocate(void* memory) override {
    if (memory == nullptr) return;
    std::byte* const block = static_cast<std::byte*>(memory) - header;
    bytes_ -= *reinterpret_cast<std::size_t const*>(block);
    ::operator delete(block);
  }

 private:
  static constexpr std::size_t header = alignof(std::max_align_t);  ///< holds the size and keeps the alignment

  std::size_t bytes_ = 0;
};

}  // namespace whence::schema::xml
