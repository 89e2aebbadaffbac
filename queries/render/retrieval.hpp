#pragma once
// The results about retrieval as page sources, and the forms of a chunk and of an answer.

#include "queries/render/page_source.hpp"
#include "queries/retrieval/rag.hpp"
#include "queries/retrieval/retrieval.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, RetrievedChunks&& chunks, RagRetrieveParams const& params);
[[nodiscard]] PageSource render(View const& view, RagRequest&& request, RagGetParams const& params);

/// Writes a retrieved chunk as a value: `chunk_id`, `content`, `metadata`, `similarity_score`, and `rank` where it is
/// not 0.
void write_chunk(schema::json::Writer& out, schema::Retrieval const& chunk);

/// Writes an answer as a value, `answer` and `message` also where they are null. With `snapshot` a citation that lost
/// its excerpt has `purged` instead.
void write_answer(schema::json::Writer& out, schema::Answer const& answer, Snapshot const* snapshot = nullptr);

}  // namespace whence::queries
