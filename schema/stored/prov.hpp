#pragma once
// Records from PROV documents to and from their stored form, which is one for all three kinds.

#include "schema/records/prov/prov.capnp.h"
#include "schema/records/prov/records.hpp"

namespace whence::schema::stored {

// The stored form of a record type has the name of its struct.
namespace wire {
using ProvEntity = ProvNode;
using ProvActivity = ProvNode;
using ProvAgent = ProvNode;
}  // namespace wire

void fill(wire::ProvNode::Builder out, ProvNode const& node);

/// Without its id. Throws what schema/stored/message.hpp catches.
void read(wire::ProvNode::Reader in, ProvNode& node);

}  // namespace whence::schema::stored
