#pragma once
// Every read of the core, each a pure function of a view: no clock, no threads, no sockets.

#include "queries/conversation/params.hpp"
#include "queries/discussion/params.hpp"
#include "queries/find/params.hpp"
#include "queries/history/params.hpp"
#include "queries/render/page_source.hpp"
#include "queries/retrieval/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>

namespace whence::queries {

// Every function below answers one method of the protocol. Common failures: `not_found` for a ref
// that does not exist in the snapshot (all unknown refs in `violations`), `invalid_params` for a ref of the wrong
// type, and whatever `budget.interrupt` says (`cancelled`, `deadline_exceeded`, `busy` for a slice too long).
// `limit` is how many items the caller needs, for those whose work depends on it: `lineage_path` finds the first
// `limit` paths, `lineage_graph` shows at most so many nodes; both say `Incomplete::limit` where there are more.

[[nodiscard]] Result<PageSource> node_get(View const& view, NodeGetParams const& params, Budget const& budget);
[[nodiscard]] Result<PageSource> node_find(View const& view, NodeFindParams const& params, Budget const& budget);
[[nodiscard]] Result<PageSource> node_count(View const& view, NodeCountParams const& params, Budget const& budget);
[[nodiscard]] Result<PageSource> versions_list(View const& view, VersionsListParams const& params,
                                               Budget const& budget);
[[nodiscard]] Result<PageSource> versions_diff(View const& view, VersionsDiffParams const& params,
                                               Budget const& budget);
[[nodiscard]] Result<PageSource> history_get(View const& view, HistoryParams const& params, Budget const& budget);
[[nodiscard]] Result<PageSource> feedback_list(View const& view, FeedbackListParams const& params,
                                               Budget const& budget);
[[nodiscard]] Result<PageSource> attachment_get(View const& view, AttachmentGetParams const& params,
                                                Budget const& budget);
/// All filters must hold; in order of creation, then of writing.
[[nodiscard]] Result<PageSource> attachment_list(View const& view, AttachmentListParams const& params,
                                                 Budget const& budget);
[[nodiscard]] Result<PageSource> summary_get(View const& view, SummaryGetParams const& params, Budget const& budget);
[[nodiscard]] Result<PageSource> template_active(View const& view, TemplateActiveParams const& params,
                                                 Budget const& budget);
[[nodiscard]] Result<PageSource> template_list(View const& view, TemplateListParams const& params,
                                               Budget const& budget);
/// What a model is shown of a discussion. `not_found` is told at "/discussionId".
[[nodiscard]] Result<PageSource> discussion_context(View const& view, DiscussionParams const& params,
                                                    Budget const& budget);
/// The same as one text, with the refs it was made from.
[[nodiscard]] Result<PageSource> discussion_prompt(View const& view, DiscussionPromptParams const& params,
                                                   Budget const& budget);
/// About how many tokens it has.
[[nodiscard]] Result<PageSource> discussion_tokens(View const& view, DiscussionParams const& params,
                                                   Budget const& budget);
/// Everything recorded for a request, as S4's entities; null where there is nothing.
[[nodiscard]] Result<PageSource> rag_get(View const& view, RagGetParams const& params, Budget const& budget);
/// The chunks most similar to a vector; reads only, so it refuses `record`. See queries/retrieval/retrieval.hpp.
[[nodiscard]] Result<PageSource> rag_retrieve(View const& view, RagRetrieveParams const& params, Budget const& budget);

}  // namespace whence::queries
