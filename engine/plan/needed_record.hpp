#pragma once
// Records that a batch needs beside its own: not said by a client, made from what the batch says and what is known.

#include "schema/records/records.hpp"

#include <cstdint>

namespace whence::engine {

/// A record to be made before the one that needs it, unless it is known or in the batch.
struct NeededRecord {
  schema::Record record;
  std::uint32_t index;  ///< of the batch's record that needs it
};

}  // namespace whence::engine
