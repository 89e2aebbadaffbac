# The content of context records as the store keeps it. What holds for every struct is in schema/stored/records.capnp.
# A record's id is not here: the graph row has it.
@0xc8ec9840f9b439fc;

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
  flags @13 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  content @14 :Text;
  # Its text, at most 4096 bytes; null where there is none or contentBlob names it.
  contentBlob @15 :Data;
  # SHA-256 of its text, which is a blob: 32 bytes. Empty where there is none. Its bytes may have been purged.
}

struct Response {
  # The units used are in the graph row, the manifest is made from the graph: neither is here.
  timestampSeconds @0 :Int64;
  # When it was generated: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @1 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  agent @2 :Text;
  # The agent that generated it, 1 to 100 code points.
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
  promptRefs @10 :List(Text);
  # Refs of the discussion rounds and summaries its prompt was made from, each once. A reader must not assume that they
  # are still there.
  flags @11 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  content @12 :Text;
  # What the model said, at most 4096 bytes; null where there is nothing or contentBlob names it.
  contentBlob @13 :Data;
  # SHA-256 of what the model said, which is a blob: 32 bytes. Empty where there is none. Its bytes may have been purged.
  prompt @14 :Text;
  # What the model was given; as content.
  promptBlob @15 :Data;
  # As contentBlob.
  requestId @16 :Text;
  # The request it answers; null where none was given. A reader must not assume that a Query has it.
  hasUsage @17 :Bool;
  # Whether usage was given, be it empty. Default no.
  inputTokens @18 :Int64;
  # Tokens of the prompt plus 1; 0 where none were given.
  outputTokens @19 :Int64;
  # Tokens of the output plus 1; 0 where none were given.
  latencyMs @20 :Float64;
  # How long the call took; meaningless unless hasLatency.
  hasLatency @21 :Bool;
  # Whether latencyMs was given. Default no.
  cost @22 :Float64;
  # In the client's currency; meaningless unless hasCost.
  hasCost @23 :Bool;
  # Whether cost was given. Default no.
  givenWeights @24 :List(Float64);
  # The weights of the units used before they were scaled, in their order; null where they were not.
  promptBasis @25 :Data;
  # How each of promptRefs is known, a byte each: 0 given, 1 by an id, 2 by its text, 3 by its place in a trace, 4 given as an
  # instruction, 5 given as the question. Null: all are given. A reader must not assume that larger numbers stay unused.
  promptMessages @26 :List(Message);
  # The messages of the prompt as parts of its text, in their order; null where that was not said.
  question @27 :Text;
  # The last message of the user, at most 1000 code points of it; null where that was not said.
  conversation @28 :Text;
  # The session that it is part of, by the name that its programs have for it; null where that was not said.
  person @29 :Text;
  # Whom it was made for, by the name that its programs have for them; null where that was not said.
  replayOf @30 :Text;
  # Ref of the response or answer whose call was made again; null where it was not. A reader must not assume that it is
  # still there.

  struct Message {
    role @0 :Text;
    # Who says it. A reader must not assume that it knows each.
    start @1 :UInt32;
    # Where it starts, in code points of the prompt.
    end @2 :UInt32;
    # Past its last code point.
  }
}

struct FeedbackRecord {
  responseId @0 :Text;
  # The response rated; null where ref names what is.
  timestampSeconds @1 :Int64;
  # When it was given, not earlier than the response: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @2 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  score @3 :Float64;
  # -1 bad, 0 neutral, 1 good. A reader must not assume whole numbers.
  feedbackText @4 :Text;
  # A comment, at most 1000 code points.
  userId @5 :Text;
  # The user who rated, at most 100 code points; of the client's own numbering.
  attributes @6 :Text;
  flags @7 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  ref @8 :Text;
  # The answer rated, as `Answer:` and its request id; null where a response is.
  hasNoScore @9 :Bool;
  # Whether nobody gave a score; it is 0 then.
}

struct Decision {
  subject @0 :Text;
  # Ref of what was decided about; null in a copy made when that was deleted. A reader must not assume that it is there.
  verdict @1 :UInt8;
  # 0 approve, 1 override, 2 reject, 3 stop. Default approve. A reader must not assume that larger numbers stay unused.
  by @2 :Text;
  # Who decided, at most 100 code points; of the client's own numbering.
  timestampSeconds @3 :Int64;
  # When it was decided: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @4 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  reason @5 :Text;
  # Why, at most 1000 code points; null where that was not said.
  attributes @6 :Text;
  flags @7 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Person {
  name @0 :Text;
  # For people, at most 500 code points; null where that was not said.
  attributes @1 :Text;
  flags @2 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Session {
  name @0 :Text;
  # For people, at most 500 code points; null where that was not said.
  attributes @1 :Text;
  flags @2 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Hold {
  refs @0 :List(Text);
  # Of nodes that stay; null where none are named. A reader must not assume that they are there.
  person @1 :Text;
  # Id of a person of whom everything stays; null where none is named.
  topic @2 :Text;
  # Id of a topic of which everything stays; null where none is named.
  reason @3 :Text;
  # Why, 1 to 1000 code points.
  timestampSeconds @4 :Int64;
  # Since when: seconds since 1970-01-01T00:00:00Z.
  timestampNanos @5 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  cleared @6 :Text;
  # Why it holds nothing any more, 1 to 1000 code points; null while it holds.
  attributes @7 :Text;
  flags @8 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  query @9 :Text;
  # Which records stay, as the JSON of hold.set, at most 10000 code points; null where there is no query.
}

struct LineageManifest {
  # Never stored: a manifest is expanded into its response and units. Only hashed, where a batch has an idempotency key.
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
  # The units used, in the order given.
  root @7 :Text;
  # The response's id once more.
  edges @8 :List(Edge);
  # The tree once more, in the order given.
  attributes @9 :Text;
  isExpired @10 :Bool;

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
    marks @6 :UInt8;
    # Sum of 1 where it is deleted, 2 where it is expired, 4 where it is purged, 8 where no type is given.
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
