#pragma once
// template.active and template.list: the system prompts of models.

#include "queries/conversation/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <vector>

namespace whence::queries {

struct TemplateList {
  std::vector<VertexId> templates = {};  ///< by model, then version
};

/// The active template of a model. Fails with `not_found` at "/modelId" (rule "no_active_template"), or with `corrupt`.
[[nodiscard]] Result<schema::SystemPromptTemplate> template_active(View const& view, TemplateActiveParams const& params,
                                                                   Budget const& budget);

/// The visible templates of a model, or of all models. O(n log n) in the templates there are.
[[nodiscard]] Result<TemplateList> template_list(View const& view, TemplateListParams const& params,
                                                 Budget const& budget);

}  // namespace whence::queries
