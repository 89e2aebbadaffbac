// Evaluating template.active and template.list.

#include "queries/conversation/templates.hpp"

#include "graph/snapshot/unknown.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::TxId;
using schema::RecordType;
using schema::SystemPromptTemplate;

struct Named {
  VertexId vertex;
  std::string model_id;
  std::int64_t version;
};

/// The visible templates of a model, or of all models, by model, then version. Names are in their ids.
std::vector<Named> templates_of(Snapshot const& snapshot, std::optional<std::string> const& model_id) {
  std::vector<Named> found;
  for (auto const vertex : snapshot.vertices(RecordType::system_prompt_template)) {
    schema::Record record = SystemPromptTemplate{};
    schema::set_node_id(record, snapshot.id(vertex));
    auto& named = std::get<SystemPromptTemplate>(record);
    if (!model_id || named.model_id == *model_id) found.push_back({vertex, std::move(named.model_id), named.version});
  }
  std::ranges::sort(found, [](Named const& a, Named const& b) {
    return std::tie(a.model_id, a.version) < std::tie(b.model_id, b.version);
  });
  return found;
}

std::vector<VertexId> vertices_of(std::vector<Named> const& templates) {
  std::vector<VertexId> vertices;
  vertices.reserve(templates.size());
  for (Named const& each : templates) vertices.push_back(each.vertex);
  return vertices;
}

/// Of templates none of which says that it is active, the one that is gone and became active last. What becomes
/// inactive is revised whole; one that is gone is not revised.
std::optional<VertexId> find_last_activated(Snapshot const& snapshot, std::vector<VertexId> const& templates) {
  std::optional<VertexId> last;
  TxId last_tx{};
  for (auto const vertex : templates) {
    if (!snapshot.gone(vertex)) continue;
    auto const revisions = snapshot.revisions(vertex);
    if (!revisions.empty() && revisions.back().kind == graph::RevisionKind::whole) continue;
    auto const tx = revisions.empty() ? snapshot.created(vertex) : revisions.back().tx;
    if (last && tx <= last_tx) continue;
    last = vertex;
    last_tx = tx;
  }
  return last;
}

}  // namespace

Result<SystemPromptTemplate> template_active(View const& view, TemplateActiveParams const& params,
                                             Budget const& /*budget*/) {
  auto vertices = vertices_of(templates_of(view.snapshot, params.model_id));
  std::ranges::reverse(vertices);  // the newest is most likely the active one
  std::optional<SystemPromptTemplate> active;
  auto const read = read_those_there(view, vertices, [&](std::size_t, schema::Record&& record) {
    auto& found = std::get<SystemPromptTemplate>(record);
    if (found.active.value_or(false)) active = std::move(found);
    return !active.has_value();
  });
  if (!read) return read.error();
  if (active) return *std::move(active);
  if (auto const gone = find_last_activated(view.snapshot, vertices)) {
    return gone_error(view.snapshot, *gone, *view.snapshot.gone(*gone), "/modelId");
  }
  return error_from(Violation{.code = Errc::not_found,
                              .rule = "no_active_template",
                              .path = "/modelId",
                              .seen = schema::shown(params.model_id),
                              .message = "this model has no active template" + graph::at_its_moment(view.snapshot)});
}

Result<TemplateList> template_list(View const& view, TemplateListParams const& params, Budget const& /*budget*/) {
  return TemplateList{vertices_of(templates_of(view.snapshot, params.model_id))};
}

}  // namespace whence::queries
