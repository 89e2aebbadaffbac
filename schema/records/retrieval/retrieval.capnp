# The content of retrieval records as the store keeps it. What holds for every struct is in schema/stored/records.capnp.
# Members that make up the id are not here, the graph row has it: a document lacks its name, a chunk its id, everything of a
# request its request_id.
@0xcefd9b4dab13dfae;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

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
  flags @7 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Place {
  # Where in its document a chunk is.
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
  # Where it is. Null in a revision.
  embedding @2 :List(Float32);
  # The embedding it is found by: 1 to 8192 numbers, not all of them 0. Null where none was given.
  attributes @3 :Text;
  flags @4 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  embeddingModel @5 :Text;
  # The model that made the embedding. Null where none was named: then it is all-MiniLM-L6-v2.
}

struct Query {
  question @0 :Text;
  # The question, 3 to 1000 code points, without white space around it.
  hasFilters @1 :Bool;
  # Whether filters were given, be they empty. Default no.
  source @2 :Text;
  # Name of the only document searched; null for all.
  maxResults @3 :Int64;
  # The largest number of chunks, 1 to 10; 0 where none was given, which means 5.
  timestampSeconds @4 :Int64;
  # When it was asked: seconds since 1970-01-01T00:00:00Z; meaningless unless hasTimestamp.
  timestampNanos @5 :UInt32;
  # Nanoseconds after timestampSeconds, 0 to 999999999.
  hasTimestamp @6 :Bool;
  # Whether a time was given. Default no.
  attributes @7 :Text;
  flags @8 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct EmbeddingVector {
  vector @0 :List(Float32);
  # The question as numbers, not all of them 0. A reader must not assume that their length is 1.
  modelName @1 :Text;
  # The model that made it.
  attributes @2 :Text;
  flags @3 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct PromptContext {
  question @0 :Text;
  # The question as the model saw it.
  chunks @1 :List(Text);
  # Ids of the chunks in the prompt, in its order, each once. A reader must not assume that they are still there.
  systemPrompt @2 :Text;
  # The instructions that the model was given.
  formattedContext @3 :Text;
  # The chunks as the model saw them.
  attributes @4 :Text;
  flags @5 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Citation {
  documentName @0 :Text;
  # The document cited.
  excerpt @1 :Text;
  # The text that the answer rests on, at most 200 code points.
  pageNumber @2 :Int64;
  # The page, at least 0; meaningless unless hasPageNumber.
  hasPageNumber @3 :Bool;
  # Whether pageNumber was given. Default no.
  section @4 :Text;
  # The section; null where none was given.
  chunkId @5 :Text;
  # The chunk. Null only where a client's record was hashed before its chunk was found.
  attributes @6 :Text;
  flags @7 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
}

struct Answer {
  answer @0 :Text;
  # The text; null where nothing was found, or too little.
  citations @1 :List(Citation);
  # Its sources, in order of first mention; empty where there is no text.
  confidence @2 :Float64;
  # Mean similarity of the chunks retrieved when it was written, 0 to 1; -1 where none of them says one.
  message @3 :Text;
  # Why there is no text; null where there is.
  processingTimeMs @4 :Int64;
  # The time it took, as a client said; meaningless unless hasProcessingTime, but that other than 0 it was given.
  attributes @5 :Text;
  flags @6 :List(Text);
  # What capture mode noted about it, each once; null where nothing was. A reader must not assume that it knows each.
  hasProcessingTime @7 :Bool;
  # Whether processingTimeMs was given. Default no.
}
