# The content of records as the store keeps it, one struct per record type. Field numbers are never reused.
#
# What holds for every struct here:
# - Stored is the canonical form, a single segment without a header; a message that is not canonical was not written by us.
# - A record's id is in no struct, nor are the members that it is made of: the graph row has it. An attachment lacks its
#   hash, a keyword its term, a subject its topic and id, a summary its topic, version and id, a template its modelId and
#   version.
# - Texts are UTF-8. A null text or list is an absent one; an empty one was given empty.
# - Times are instants in UTC; the zone they were given in is not kept.
# - `attributes` is a JSON object as compact text with sorted keys, at most 16384 bytes. A reader must not assume that it
#   knows any member.
@0xac08afd7998d9f25;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct ContextUnit {
  type @0 :UInt8;
  # 0 System, 1 User, 2 External, 3 ModelState. Default System. A reader must not assume that larger numbers stay unused.
  source @1 :Text;
  # Where it came from, 1 to 255 code points. Free text: no scheme may be assumed.
  timestampSeconds @2 :Int64;
  # When it was made: seconds since 1970-01-01T00:00:00Z, negative before.
  timestampNanos @3 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  contributionWeight @4 :Float64;
  # As the client gave it, 0 to 1; meaningless unless hasContributionWeight. Not the weight of any use: that is an edge's.
  hasContributionWeight @5 :Bool;
  # Whether contributionWeight was given. Default no.
  embeddingId @6 :Text;
  # The id of a vector in a store elsewhere. A reader must not assume that the vector exists.
  summary @7 :Text;
  # For people, at most 500 code points.
  version @8 :Int32;
  # 1 for the first, else the previous version's plus 1. Never 0 in a stored record.
  previousVersionId @9 :Text;
  # The unit this one replaces; null exactly where version is 1. Its content may have been purged.
  updatedByResponseId @10 :Text;
  # The response that caused this version.
  derivedFrom @11 :List(Text);
  # Ids of declared sources, each once, in the client's order. May name the previous version too.
  attributes @12 :Text;
}

struct Response {
  # The units used are in the graph row, the manifest is made from the graph: neither is here.
  timestampSeconds @0 :Int64;
  # When it was generated: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @1 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  agent @2 :Text;
  # Who generated it, 1 to 100 code points.
  model @3 :Text;
  # With which model, 1 to 100 code points. A reader must not assume a vendor's naming.
  tokenCount @4 :Int32;
  # Size in tokens of that model, at least 0; meaningless unless hasTokenCount.
  hasTokenCount @5 :Bool;
  # Whether tokenCount was given. Default no.
  attributes @6 :Text;
  templateModelId @7 :Text;
  # The model of the system prompt template it was made with; null where none was given.
  templateVersion @8 :Int32;
  # That template's version, at least 1; meaningless where templateModelId is null.
  queryAttachment @9 :Text;
  # Hash of the llm-query that it answers; null where none was given. A reader must not assume that it is still there.
}

struct FeedbackRecord {
  responseId @0 :Text;
  # The response rated.
  timestampSeconds @1 :Int64;
  # When it was given, not earlier than the response: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @2 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  score @3 :Float64;
  # -1 bad, 0 neutral, 1 good. A reader must not assume whole numbers.
  feedbackText @4 :Text;
  # A comment, at most 1000 code points.
  userId @5 :Text;
  # Who rated, at most 100 code points; of the client's own numbering.
  attributes @6 :Text;
}

struct Topic {
  name @0 :Text;
  # For people, any length.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, 0 to 2^53 - 1; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs was given. Default no.
  attributes @3 :Text;
}

struct Message {
  topicId @0 :Text;
  # The topic it belongs to.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, 0 to 2^53 - 1; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs was given. Default no.
  role @3 :Text;
  # Who spoke. A reader must not assume a fixed set of roles.
  text @4 :Text;
  # What was said, any length.
  attributes @5 :Text;
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
}

struct Keyword {
  # As a later revision it holds in `subjects` only what was added.
  frequency @0 :Int64;
  # How often it was mentioned so far, at least 0.
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
  # What this version added; null where a client wrote the whole.
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
}

struct SystemPromptTemplate {
  promptText @0 :Text;
  # What the model is told, any length.
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
}

struct Manifest {
  # Never stored: a manifest is expanded into its response and units. Hashed only, where a batch has an idempotency key.
  timestampSeconds @0 :Int64;
  # When the response was generated: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @1 :UInt32;
  # Nanoseconds after timestampSeconds.
  agent @2 :Text;
  # As in Response.
  model @3 :Text;
  # As in Response.
  tokenCount @4 :Int32;
  # As in Response.
  hasTokenCount @5 :Bool;
  # As in Response.
  tree @6 :List(Node);
  # What the response was made from, in the order given.
  root @7 :Text;
  # The response's id once more.
  edges @8 :List(Edge);
  # The tree once more, in the order given.
  attributes @9 :Text;

  struct Node {
    id @0 :Text;
    # The unit's id.
    type @1 :UInt8;
    # As in ContextUnit.
    source @2 :Text;
    # As in ContextUnit.
    weight @3 :Float64;
    # Share of contribution, 0 to 1.
    embeddingId @4 :Text;
    # As in ContextUnit.
    summary @5 :Text;
    # As in ContextUnit.
  }

  struct Edge {
    from @0 :Text;
    # The unit's id.
    to @1 :Text;
    # The response's id.
    weight @2 :Float64;
    # Share of contribution, 0 to 1.
  }
}

struct Whole {
  # A record as it was given. Never stored: hashed only, where a batch has an idempotency key.
  type @0 :UInt8;
  # Number of the record type.
  id @1 :Text;
  # Empty where the server was to make one.
  content @2 :Data;
  # The canonical words of the struct of its type.
  uses @3 :List(Use);
  # Of a response: the units used, in the order given.
  manifestJson @4 :Text;
  # Of a response: the manifest that came with it.
  xml @5 :Text;
  # Of an attachment: the text, where it came under that name.

  struct Use {
    unitId @0 :Text;
    # The unit used.
    weight @1 :Float64;
    # Share of contribution, 0 to 1.
  }
}
