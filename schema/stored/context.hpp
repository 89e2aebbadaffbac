#pragma once
// Context records to and from their stored form.

#include "schema/records/context/context.capnp.h"
#include "schema/records/context/records.hpp"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::ContextUnit::Builder out, ContextUnit const& unit);
/// Without the units used, which are in the graph row.
void fill(wire::Response::Builder out, Response const& response);
void fill(wire::FeedbackRecord::Builder out, FeedbackRecord const& feedback);
void fill(wire::Decision::Builder out, Decision const& decision);
void fill(wire::Person::Builder out, Person const& person);
void fill(wire::Session::Builder out, Session const& session);
void fill(wire::Hold::Builder out, Hold const& hold);
/// Only hashed: a manifest is not stored.
void fill(wire::LineageManifest::Builder out, LineageManifest const& manifest);

/// The members that are hashed with the record and not stored with it: the units used and the manifest.
void fill_whole(wire::Whole::Builder out, Response const& response);

// Without the members that make up the id. They throw what schema/stored/message.hpp catches.
void read(wire::ContextUnit::Reader in, ContextUnit& unit);
void read(wire::Response::Reader in, Response& response);
void read(wire::FeedbackRecord::Reader in, FeedbackRecord& feedback);
void read(wire::Decision::Reader in, Decision& decision);
void read(wire::Person::Reader in, Person& person);
void read(wire::Session::Reader in, Session& session);
void read(wire::Hold::Reader in, Hold& hold);

}  // namespace whence::schema::stored
