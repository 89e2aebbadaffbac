# The content of conversation records as the store keeps it. What holds for every struct is in
# schema/stored/records.capnp. Members that make up the id are not here, the graph row has it: an attachment lacks its hash,
# a keyword its term, a subject its topic and id, a summary its topic, version and id, a template its modelId and version.
@0x9e7557988142c8ea;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct Topic {
  name @0 :Text;
  # For people, any length.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, 0 to 2^53 - 1; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs was given. Default no.
  attributes @3 :Text;
  idHash @4 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
}

struct Message {
  topicId @0 :Text;
  # The topic it belongs to.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, 0 to 2^53 - 1; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs was given. Default no.
  role @3 :Text;
  # The role of the speaker. A reader must not assume a fixed set of roles.
  text @4 :Text;
  # The message, any length.
  attributes @5 :Text;
  idHash @6 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
  person @7 :Text;
  # Who said it, or whom it was said to, by the name that the programs have for them; null where that was not said.
}

struct XmlMessageAttachment {
  topicId @0 :Text;
  # The topic of its message.
  messageId @1 :Text;
  # The message it is the text of.
  xmlContent @2 :Text;
  # The text, at most 1024 bytes; null where xmlBlob names it.
  xmlBlob @3 :Text;
  # "sha256://" and the 64 lower-case hex digits of a blob's SHA-256; null where the text is in xmlContent.
  format @4 :UInt8;
  # 0 llm-query, 1 llm-response. A reader must not assume that larger numbers stay unused.
  contractVersion @5 :Int32;
  # Of the XML contract, at least 1; meaningless unless hasContractVersion.
  hasContractVersion @6 :Bool;
  # Whether contractVersion is known. Default no.
  createdAtMs @7 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, 0 to 2^53 - 1; meaningless unless hasCreatedAt.
  hasCreatedAt @8 :Bool;
  # Whether createdAtMs is known. Default no.
  size @9 :Int64;
  # Bytes of the text, at least 0; meaningless unless hasSize.
  hasSize @10 :Bool;
  # Whether size is known. Default no.
  responseId @11 :Text;
  # The response that it prompted (llm-query) or renders (llm-response); null where none was given.
  attributes @12 :Text;
  idHash @13 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
}

struct Keyword {
  # As a later revision it holds in `subjects` only what was added.
  frequency @0 :Int64;
  # Mentions so far, at least 0.
  subjects @1 :List(Text);
  # Refs of the subjects it belongs to, each once, in order of first mention. A reader must not assume that they exist.
  score @2 :Float64;
  # The highest confidence seen so far, 0 to 1; meaningless unless hasScore.
  hasScore @3 :Bool;
  # Whether score is known. Default no.
  createdAtMs @4 :Int64;
  # When it was first seen: milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @5 :Bool;
  # Whether createdAtMs is known. Default no.
  lastSeenMs @6 :Int64;
  # When it was last seen: milliseconds since 1970-01-01T00:00:00Z.
  sourceXmlHash @7 :Text;
  # Hash of the attachment that created it; null where a client did. A reader must not assume that it is still there.
  attributes @8 :Text;
  idHash @9 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
}

struct Subject {
  # As a later revision it holds in `keywords` only what was added, and in `timeRanges` what takes the place of the last
  # range before and what follows it.
  name @0 :Text;
  # By which responses mention it; null where none was given.
  description @1 :Text;
  # As first mentioned; null where none was given.
  keywords @2 :List(Text);
  # Terms, each once. A reader must not assume that keywords of these terms exist.
  timeRanges @3 :List(TimeSpan);
  # When its topic was about it, earliest first.
  messageCount @4 :Int64;
  # Responses that mention it so far, at least 0.
  createdAtMs @5 :Int64;
  # When it was first seen: milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @6 :Bool;
  # Whether createdAtMs is known. Default no.
  lastSeenAtMs @7 :Int64;
  # When it was last seen: milliseconds since 1970-01-01T00:00:00Z.
  archived @8 :Bool;
  # Whether it is put aside. Default no.
  sourceXmlHash @9 :Text;
  # Hash of the attachment that created it; null where a client did. A reader must not assume that it is still there.
  attributes @10 :Text;
  idHash @11 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.

  struct TimeSpan {
    startMs @0 :Int64;
    # First response of an unbroken run: milliseconds since 1970-01-01T00:00:00Z.
    endMs @1 :Int64;
    # Its last response, not before startMs.
  }
}

struct Summary {
  content @0 :Text;
  # The whole text as a client wrote it; empty where `increment` is there: the text is then made on reading.
  increment @1 :Text;
  # The part that this version added; null where a client wrote the whole.
  subjects @2 :List(Text);
  # Ids of the subjects it speaks of. A reader must not assume that they exist.
  keywords @3 :List(Text);
  # Terms it speaks of. A reader must not assume that keywords of these terms exist.
  previousVersion @4 :Text;
  # Id of the version before; null for a first. A reader must not assume that its content is still there.
  createdAtMs @5 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @6 :Bool;
  # Whether createdAtMs is known. Default no.
  updatedAtMs @7 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasUpdatedAt.
  hasUpdatedAt @8 :Bool;
  # Whether updatedAtMs is known. Default no.
  changeReason @9 :Text;
  # Why it was written, for people; null where none was given.
  sourceXmlHash @10 :Text;
  # Hash of the attachment that created it; null where a client did. A reader must not assume that it is still there.
  attributes @11 :Text;
  idHash @12 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
}

struct SystemPromptTemplate {
  promptText @0 :Text;
  # The prompt, any length.
  xmlSchemaVersion @1 :Int32;
  # Of the XML contract that it asks for, at least 1; meaningless unless hasXmlSchemaVersion.
  hasXmlSchemaVersion @2 :Bool;
  # Whether xmlSchemaVersion is known. Default no.
  createdAtMs @3 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @4 :Bool;
  # Whether createdAtMs is known. Default no.
  updatedAtMs @5 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasUpdatedAt.
  hasUpdatedAt @6 :Bool;
  # Whether updatedAtMs is known. Default no.
  active @7 :Bool;
  # Whether it is to be used; meaningless unless hasActive. A reader must not assume that one version of a model is.
  hasActive @8 :Bool;
  # Whether active is known. Default no.
  attributes @9 :Text;
  idHash @10 :Text;
  # Its id hash in an export of ONE, 64 lower-case hex digits; null where none was given. Two records may have the same.
}
