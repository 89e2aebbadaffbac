#pragma once
// Retrieval records to and from their stored form.

#include "schema/records/retrieval/records.hpp"
#include "schema/records/retrieval/retrieval.capnp.h"
#include "schema/stored/records.capnp.h"

namespace whence::schema::stored {

void fill(wire::Document::Builder out, Document const& document);
/// The chunk itself, without the members of a retrieval.
void fill(wire::RetrievedChunk::Builder out, RetrievedChunk const& chunk);
void fill(wire::Query::Builder out, Query const& query);
void fill(wire::EmbeddingVector::Builder out, EmbeddingVector const& embedding);
/// Of the chunks only their ids.
void fill(wire::PromptContext::Builder out, PromptContext const& prompt);
void fill(wire::Citation::Builder out, Citation const& citation);
void fill(wire::Answer::Builder out, Answer const& answer);

// The members that are hashed with the record and not stored with it: of a retrieval, and of the chunks of a prompt.
void fill_whole(wire::Whole::Builder out, RetrievedChunk const& chunk);
void fill_whole(wire::Whole::Builder out, PromptContext const& prompt);

// Without the members that make up the id. They throw what schema/stored/message.hpp catches.
void read(wire::Document::Reader in, Document& document);
void read(wire::RetrievedChunk::Reader in, RetrievedChunk& chunk);
void read(wire::Query::Reader in, Query& query);
void read(wire::EmbeddingVector::Reader in, EmbeddingVector& embedding);
void read(wire::PromptContext::Reader in, PromptContext& prompt);
void read(wire::Answer::Reader in, Answer& answer);

}  // namespace whence::schema::stored
