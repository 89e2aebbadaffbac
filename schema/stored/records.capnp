# The content of records as the store keeps it, one struct per record type. Field numbers are never reused.
#
# What holds for every struct here:
# - Stored is the canonical form, a single segment without a header; a message that is not canonical was not written by us.
# - A record's id is in no struct, nor are the members that it is made of: the graph row has it. An attachment lacks its
#   hash, a keyword its term, a subject its topic and id, a summary its topic, version and id, a template its modelId and
#   version, a discussion, its rounds and summaries their user, discussion and number, a document its name, a chunk its id,
#   everything of a request its request_id, and a thing of a PROV document its id.
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
  promptRefs @10 :List(Text);
  # Refs of the discussion rounds and summaries its prompt was made from, each once. A reader must not assume that they
  # are still there.
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

struct Discussion {
  topic @0 :Text;
  # What it is about, any length; null where none was given.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs is known. Default no.
  updatedAtMs @3 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, as a client said; meaningless unless hasUpdatedAt. A reader must not assume
  # that no round is younger.
  hasUpdatedAt @4 :Bool;
  # Whether updatedAtMs is known. Default no.
  isResolved @5 :Bool;
  # Whether it is settled; meaningless unless hasIsResolved.
  hasIsResolved @6 :Bool;
  # Whether isResolved was given. Default no.
  needsUserInput @7 :Bool;
  # Whether it waits for its user; meaningless unless hasNeedsUserInput.
  hasNeedsUserInput @8 :Bool;
  # Whether needsUserInput was given. Default no.
  attributes @9 :Text;
  openRound @10 :Int64;
  # The round that was opened last before it had a response, from 1; 0 for none. Stale where a round of this number or
  # above exists.
}

struct DiscussionRound {
  # As a later revision it holds only the responses that were added.
  timestampMs @0 :Int64;
  # When it began: milliseconds since 1970-01-01T00:00:00Z.
  analyzer @1 :Response;
  # The first response. Null in an addition.
  solver @2 :Response;
  # The second; null where the round has not come so far.
  moderator @3 :Response;
  # The third; null where the round has not come so far.
  questions @4 :Text;
  # Questions to the user: a JSON object as compact text, members in the client's order. A reader must not assume that it
  # knows any member.
  sortedQuestions @5 :Text;
  # The same with sorted keys; null where that is the same text.
  userAnswers @6 :List(Text);
  # What the user answered, in order; null where nothing was given.
  attributes @7 :Text;

  struct Response {
    content @0 :Text;
    # What was said, any length. Persona and turn follow from its place and the round's number.
    timestampMs @1 :Int64;
    # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasTimestamp.
    hasTimestamp @2 :Bool;
    # Whether timestampMs was given. Default no.
  }
}

struct SummaryEntry {
  summary @0 :Text;
  # The text in the place of the rounds.
  replacesRounds @1 :List(Int64);
  # Numbers of rounds, ascending; the last is its own. A reader must not assume that they are still there.
  tokenCountBefore @2 :Int64;
  # About how many tokens the context had without it; meaningless unless hasTokenCountBefore.
  hasTokenCountBefore @3 :Bool;
  # Whether tokenCountBefore is known. Default no.
  tokenCountAfter @4 :Int64;
  # About how many tokens the context has with it; meaningless unless hasTokenCountAfter.
  hasTokenCountAfter @5 :Bool;
  # Whether tokenCountAfter is known. Default no.
  createdAtMs @6 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @7 :Bool;
  # Whether createdAtMs is known. Default no.
  attributes @8 :Text;
}

struct Document {
  title @0 :Text;
  # For people; null where none was given.
  uri @1 :Text;
  # Where it is; null where none was given. A reader must not assume any scheme, nor that it can be fetched.
  sha256 @2 :Text;
  # 64 lower-case hex digits of the document's bytes, which are not kept; null where none was given.
  timestampSeconds @3 :Int64;
  # When it was made: seconds since 1970-01-01T00:00:00Z; meaningless unless hasTimestamp.
  timestampNanos @4 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  hasTimestamp @5 :Bool;
  # Whether a time was given. Default no.
  attributes @6 :Text;
}

struct Place {
  # Where in its document a chunk stands.
  documentName @0 :Text;
  # The document.
  pageNumber @1 :Int64;
  # The page, at least 0; meaningless unless hasPageNumber.
  hasPageNumber @2 :Bool;
  # Whether pageNumber was given. Default no.
  section @3 :Text;
  # The section; null where none was given.
  chunkIndex @4 :Int64;
  # The chunk's place in the document, at least 0.
}

struct RetrievedChunk {
  # As a later revision it holds only an embedding that was given later, or nothing: then it was retrieved once more, and
  # the edges that came with the revision say for what.
  content @0 :Text;
  # Its text, any length.
  metadata @1 :Place;
  # Where it stands. Null in a revision.
  embedding @2 :List(Float32);
  # What it is found by: 384 numbers, not all of them 0. Null where none was given.
  attributes @3 :Text;
}

struct Query {
  question @0 :Text;
  # What was asked, 3 to 1000 code points, without white space around it.
  hasFilters @1 :Bool;
  # Whether filters were given, be they empty. Default no.
  source @2 :Text;
  # Name of the only document searched; null for all.
  maxResults @3 :Int64;
  # How many chunks at most, 1 to 10; 0 where nothing was said, which means 5.
  timestampSeconds @4 :Int64;
  # When it was asked: seconds since 1970-01-01T00:00:00Z; meaningless unless hasTimestamp.
  timestampNanos @5 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  hasTimestamp @6 :Bool;
  # Whether a time was given. Default no.
  attributes @7 :Text;
}

struct EmbeddingVector {
  vector @0 :List(Float32);
  # The question as numbers, not all of them 0. A reader must not assume that their length is 1.
  modelName @1 :Text;
  # The model that made it.
  attributes @2 :Text;
}

struct PromptContext {
  question @0 :Text;
  # The question as the model saw it.
  chunks @1 :List(Text);
  # Ids of the chunks in the prompt, in its order, each once. A reader must not assume that they are still there.
  systemPrompt @2 :Text;
  # What the model was told to do.
  formattedContext @3 :Text;
  # The chunks as the model saw them.
  attributes @4 :Text;
}

struct Citation {
  documentName @0 :Text;
  # The document cited.
  excerpt @1 :Text;
  # What the answer rests on, at most 200 code points.
  pageNumber @2 :Int64;
  # The page, at least 0; meaningless unless hasPageNumber.
  hasPageNumber @3 :Bool;
  # Whether pageNumber was given. Default no.
  section @4 :Text;
  # The section; null where none was given.
  chunkId @5 :Text;
  # The chunk. Null only where a client's record was hashed before its chunk was found.
  attributes @6 :Text;
}

struct Answer {
  answer @0 :Text;
  # The text; null where nothing was found, or too little.
  citations @1 :List(Citation);
  # Its sources, in order of first mention; empty where there is no text.
  confidence @2 :Float64;
  # Mean similarity of the chunks retrieved when it was written, 0 to 1.
  message @3 :Text;
  # Why there is no text; null where there is.
  processingTimeMs @4 :Int64;
  # How long it took, as a client said.
  attributes @5 :Text;
}

struct Prov {
  # A thing of a PROV document: an entity, an activity or an agent, as the graph row says.
  qname @0 :Text;
  # Its name as written, 1 to 65536 code points.
  attributes @1 :Text;
  # As PROV-JSON has them: a JSON object or an array of such, compact text with sorted keys, at most 1 MiB; a number with
  # a point or exponent is a double. Null where nothing declares the thing. A reader must not assume that it knows any member.
  bundle @2 :Text;
  # Name of the bundle it stands in, as written; null outside of bundles.
  bundleIri @3 :Text;
  # The same in full; null exactly where bundle is.
  prefixes @4 :List(Prefix);
  # Those that its names use, in byte order of prefix, each once. A reader must not assume that every prefix met is here.
  isOnlyMentioned @5 :Bool;
  # Whether nothing declares it. Default no.
  relations @6 :List(Relation);
  # Those it is the subject of, in the document's order; null where there are none. An edge names its relation by its
  # place in this list.

  struct Prefix {
    name @0 :Text;
    # "default" for names without one.
    iri @1 :Text;
    # What it stands for.
  }

  struct Relation {
    name @0 :Text;
    # As PROV-JSON calls it, such as "used". A reader must not assume that it knows it.
    id @1 :Text;
    # Its own name as written; null where it has none. What begins "_:" names nothing outside its document.
    place @2 :Int32;
    # In the array that its name stands for, from 0; meaningless unless hasPlace.
    hasPlace @3 :Bool;
    # Whether its name stands for an array. Default no.
    other @4 :Text;
    # Ref of its object; null where it has none. A reader must not assume that it is there.
    others @5 :List(Text);
    # Refs, where its object is a list; else null.
    attributes @6 :Text;
    # Its arguments and attributes: a JSON object, written like that of the thing.
  }
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
  rank @6 :Int64;
  # Of a retrieval: its rank; 0 where none was given.
  similarity @7 :Float64;
  # Of a retrieval: its similarity.
  requestId @8 :Text;
  # Of a retrieval: the request.
  included @9 :List(Included);
  # Of a prompt: what was said of its chunks beside their ids.

  struct Use {
    unitId @0 :Text;
    # The unit used.
    weight @1 :Float64;
    # Share of contribution, 0 to 1.
  }

  struct Included {
    content @0 :Text;
    # Null where not given.
    place @1 :Place;
    # Null where not given.
    similarity @2 :Float64;
    # 0 where not given.
    rank @3 :Int64;
    # 0 where not given.
  }
}
