#pragma once
// Whether a PROV record that a client made says one thing: its names, its refs, and the arguments of its relations.

#include "schema/records/check.hpp"

namespace whence::schema::json {

/// Adds violations of the rule "agreement" to a PROV record whose members contradict each other, so that what is drawn
/// as edges and what is written back as PROV-JSON would differ; other records, and those with violations, stay as they
/// are. `id` is made of `qname`, `prefixes` and `bundle_iri`. An argument of a relation that is given is what
/// its ref says, and has one. Arguments may be left out where a name can be made of the ref. O(size of the record).
void check_agreement(IncomingRecord& incoming);

}  // namespace whence::schema::json
