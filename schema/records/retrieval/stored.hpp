#pragma once
// S4's records to and from their stored form.

#include "schema/records/records.hpp"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::Document::Builder out, Document const& document);
/// Of a retrieval only what the chunk itself says.
void fill(wire::RetrievedChunk::Builder out, RetrievedChunk const& chunk);
void fill(wire::Query::Builder out, Query const& query);
void fill(wire::EmbeddingVector::Builder out, EmbeddingVector const& embedding);
/// Of the chunks only their ids.
void fill(wire::PromptContext::Builder out, PromptContext const& prompt);
void fill(wire::Citation::Builder out, Citation const& citation);
void fill(wire::Answer::Builder out, Answer const& answer);

// What of a record as it was given is not stored, for its fingerprint.
void fill_retrieval(wire::Whole::Builder out, RetrievedChunk const& chunk);
void fill_included(wire::Whole::Builder out, PromptContext const& prompt);

// Without what makes up the id. Throw what impl/message.hpp catches.
[[nodiscard]] Record read(wire::Document::Reader in);
[[nodiscard]] Record read(wire::RetrievedChunk::Reader in);
[[nodiscard]] Record read(wire::Query::Reader in);
[[nodiscard]] Record read(wire::EmbeddingVector::Reader in);
[[nodiscard]] Record read(wire::PromptContext::Reader in);
[[nodiscard]] Record read(wire::Answer::Reader in);

}  // namespace whence::schema::stored
