#pragma once
// Records from PROV documents to and from their stored form, which is one for all three kinds.

#include "schema/records/records.hpp"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::Prov::Builder out, ProvNode const& node);

/// Without its id. Throws what impl/message.hpp catches.
[[nodiscard]] ProvNode read_prov(wire::Prov::Reader in);

}  // namespace whence::schema::stored
