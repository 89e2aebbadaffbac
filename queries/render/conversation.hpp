#pragma once
// The results about attachments, summaries and templates as page sources.

#include "queries/conversation/attachments.hpp"
#include "queries/conversation/context.hpp"
#include "queries/conversation/summary.hpp"
#include "queries/conversation/templates.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, Attachment&& attachment, AttachmentGetParams const& params);
[[nodiscard]] PageSource render(View const& view, AttachmentList&& list, AttachmentListParams const& params);
[[nodiscard]] PageSource render(View const& view, XmlContext&& found, XmlContextParams const& params);
[[nodiscard]] PageSource render(View const& view, schema::Summary&& summary, SummaryGetParams const& params);
[[nodiscard]] PageSource render(View const& view, schema::SystemPromptTemplate&& prompt,
                                TemplateActiveParams const& params);
[[nodiscard]] PageSource render(View const& view, TemplateList&& list, TemplateListParams const& params);

}  // namespace whence::queries
