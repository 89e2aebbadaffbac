#pragma once
// A record that a batch needs besides its own, made from the batch and from what is known.

#include "schema/records/records.hpp"

#include <cstdint>

namespace whence::engine {

/// To be written before the record that needs it, unless it is known or in the batch.
struct NeededRecord {
  schema::Record record;
  std::uint32_t index;         ///< of the batch's record that needs it
  bool adds_to_known = false;  ///< it is of PROV and says more of what is known: it is written in any case
};

}  // namespace whence::engine
