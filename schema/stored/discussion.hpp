#pragma once
// Discussion records to and from their stored form.

#include "schema/records/discussion/discussion.capnp.h"
#include "schema/records/discussion/records.hpp"

namespace whence::schema::stored {

void fill(wire::Discussion::Builder out, Discussion const& discussion);
void fill(wire::DiscussionRound::Builder out, DiscussionRound const& round);
void fill(wire::SummaryEntry::Builder out, SummaryEntry const& summary);

// Without the members that make up the id. They throw what schema/stored/message.hpp catches.
void read(wire::Discussion::Reader in, Discussion& discussion);
void read(wire::DiscussionRound::Reader in, DiscussionRound& round);
void read(wire::SummaryEntry::Reader in, SummaryEntry& summary);

}  // namespace whence::schema::stored
