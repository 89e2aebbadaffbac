#pragma once
// S2's records to and from their stored form.

#include "schema/records/records.hpp"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::Discussion::Builder out, Discussion const& discussion);
void fill(wire::DiscussionRound::Builder out, DiscussionRound const& round);
void fill(wire::SummaryEntry::Builder out, SummaryEntry const& summary);

// Without what makes up the id. Throw what impl/message.hpp catches.
[[nodiscard]] Record read(wire::Discussion::Reader in);
[[nodiscard]] Record read(wire::DiscussionRound::Reader in);
[[nodiscard]] Record read(wire::SummaryEntry::Reader in);

}  // namespace whence::schema::stored
