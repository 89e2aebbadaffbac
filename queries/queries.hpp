#pragma once
// Every read of the core, each a pure function of a view: no clock, no threads, no sockets.

#include "queries/render/answer.hpp"
#include "queries/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>

namespace whence::queries {

/// Resolves `as_of` against the head: a number up to the head, or a time, which is the
/// state after the last transaction committed at or before it. Fails with
/// `invalid_params`, path "/as_of", on a number above the head.
[[nodiscard]] Result<graph::Snapshot> snapshot_as_of(graph::Snapshot const& head, std::optional<AsOf> const& as_of);

// Every function below answers one method of the protocol. Common failures: `not_found` for a ref
// that does not exist in the snapshot (all unknown refs in `violations`), `invalid_params` for a ref of the wrong
// type, and whatever `budget.interrupt` says (`cancelled`, `deadline_exceeded`, `busy` for a slice too long).
// `limit` is how many items the caller needs, for those whose work depends on it: `lineage_path` finds the first
// `limit` paths, `lineage_graph` shows at most so many nodes; both say `Incomplete::limit` where there are more.

[[nodiscard]] Result<Answer> node_get(View const& view, NodeGetParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> node_find(View const& view, NodeFindParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> node_count(View const& view, NodeCountParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> lineage_ancestors(View const& view, LineageParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> lineage_descendants(View const& view, LineageParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> lineage_graph(View const& view, LineageGraphParams const& params, std::uint32_t limit,
                                           Budget const& budget);
[[nodiscard]] Result<Answer> lineage_path(View const& view, PathParams const& params, std::uint32_t limit,
                                          Budget const& budget);
[[nodiscard]] Result<Answer> lineage_influence(View const& view, InfluenceParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> lineage_manifest(View const& view, ManifestParams const& params, Budget const& budget);
/// `as_of_a` and `as_of_b` are resolved against `view`: a number above its transaction is refused.
[[nodiscard]] Result<Answer> lineage_diff(View const& view, LineageDiffParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> impact_analyze(View const& view, ImpactParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> impact_blame(View const& view, BlameParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> versions_list(View const& view, VersionsListParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> versions_diff(View const& view, VersionsDiffParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> history_get(View const& view, HistoryParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> feedback_list(View const& view, FeedbackListParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> attachment_get(View const& view, AttachmentGetParams const& params, Budget const& budget);
/// All filters must hold; in order of creation, then of writing.
[[nodiscard]] Result<Answer> attachment_list(View const& view, AttachmentListParams const& params,
                                             Budget const& budget);
/// From a keyword, subject or summary to the attachments it came from, their responses and what these used.
[[nodiscard]] Result<Answer> trace(View const& view, TraceParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> summary_get(View const& view, SummaryGetParams const& params, Budget const& budget);
[[nodiscard]] Result<Answer> template_active(View const& view, TemplateActiveParams const& params,
                                             Budget const& budget);
[[nodiscard]] Result<Answer> template_list(View const& view, TemplateListParams const& params, Budget const& budget);
/// What a model is shown of a discussion. `not_found` is told at "/discussionId".
[[nodiscard]] Result<Answer> discussion_context(View const& view, DiscussionParams const& params, Budget const& budget);
/// The same as one text, with the refs it was made from.
[[nodiscard]] Result<Answer> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                               Budget const& budget);
/// About how many tokens it has.
[[nodiscard]] Result<Answer> discussion_tokens(View const& view, DiscussionParams const& params, Budget const& budget);
/// Everything recorded for a request, as S4's entities; null where there is nothing.
[[nodiscard]] Result<Answer> rag_get(View const& view, RagGetParams const& params, Budget const& budget);
/// The chunks most similar to a vector; reads only, so it refuses `record`. See queries/retrieval/retrieval.hpp.
[[nodiscard]] Result<Answer> rag_retrieve(View const& view, RagRetrieveParams const& params, Budget const& budget);

}  // namespace whence::queries
