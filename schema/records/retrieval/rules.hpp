#pragma once
// Where the retrieval records differ from the defaults: revisions, edges and joined checks.
// A type without an overload has the default named in schema/records/rules.hpp.

#include "schema/checks/rule_types.hpp"
#include "schema/records/retrieval/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// A retrieval changes nothing that the chunk says; an embedding may come later (rules.cpp).
void fold_into(RetrievedChunk& into, RetrievedChunk&& later);
/// A revision of an answer adds edges, and nothing that it says (rules.cpp).
void fold_into(Answer& into, Answer&& later);

// Edges (links.cpp).
[[nodiscard]] std::vector<Link> links(RetrievedChunk const& chunk);
[[nodiscard]] std::vector<Link> links(EmbeddingVector const& embedding);
[[nodiscard]] std::vector<Link> links(PromptContext const& prompt);
[[nodiscard]] std::vector<Link> links(Answer const& answer);

// Checks that join members (check.cpp). Rules "request_id", "required", "zero_vector", "model_name", "items",
// "dimension", "hash", "duplicate_chunk", "citations", "unknown_field".
void prepare(Query& query, CheckContext const& context);
void prepare(RetrievedChunk& chunk, CheckContext const& context);
void check_joined(Document const& document, CheckContext const& context, Path const& root, Report& report);
void check_joined(RetrievedChunk const& chunk, CheckContext const& context, Path const& root, Report& report);
void check_joined(EmbeddingVector const& embedding, CheckContext const& context, Path const& root, Report& report);
void check_joined(PromptContext const& prompt, CheckContext const& context, Path const& root, Report& report);
void check_joined(Citation const& citation, CheckContext const& context, Path const& root, Report& report);
void check_joined(Answer const& answer, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
