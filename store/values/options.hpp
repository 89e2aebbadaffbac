#pragma once
// How a store is opened.

#include <cstdint>

namespace whence::store {

struct StoreOptions {
  std::uint64_t map_bytes = std::uint64_t{1} << 40;  ///< address space reserved; the file stays as small as its data
  bool is_durable = true;                            ///< false only for benchmarks: no fdatasync
  bool is_shared = false;     ///< other nodes get its groups: contents are packed with them, not ahead
  bool is_read_only = false;  ///< opens without the writer's lock; used by offline reading
};

}  // namespace whence::store
