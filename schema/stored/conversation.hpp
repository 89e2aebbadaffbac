#pragma once
// Conversation records to and from their stored form.

#include "schema/records/conversation/conversation.capnp.h"
#include "schema/records/conversation/records.hpp"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::Topic::Builder out, Topic const& topic);
void fill(wire::Message::Builder out, Message const& message);
void fill(wire::XmlMessageAttachment::Builder out, XmlMessageAttachment const& attachment);
void fill(wire::Keyword::Builder out, Keyword const& keyword);
void fill(wire::Subject::Builder out, Subject const& subject);
void fill(wire::Summary::Builder out, Summary const& summary);
void fill(wire::SystemPromptTemplate::Builder out, SystemPromptTemplate const& prompt);

/// The text that came as `xml`, which is hashed with the record and stored under another name.
void fill_whole(wire::Whole::Builder out, XmlMessageAttachment const& attachment);

// Without the members that make up the id. They throw what schema/stored/message.hpp catches.
void read(wire::Topic::Reader in, Topic& topic);
void read(wire::Message::Reader in, Message& message);
void read(wire::XmlMessageAttachment::Reader in, XmlMessageAttachment& attachment);
void read(wire::Keyword::Reader in, Keyword& keyword);
void read(wire::Subject::Reader in, Subject& subject);
void read(wire::Summary::Reader in, Summary& summary);
void read(wire::SystemPromptTemplate::Reader in, SystemPromptTemplate& prompt);

}  // namespace whence::schema::stored
