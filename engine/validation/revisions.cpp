#include "engine/validation/revisions.hpp"

#include "schema/edges/links.hpp"
#include "schema/records/ref.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::RecordType;
using schema::SystemPromptTemplate;

/// The nodes that `vertex` has an edge to, in order.
std::vector<VertexId> linked_nodes(graph::Snapshot const& known, VertexId vertex) {
  std::vector<VertexId> linked;
  for (auto const& neighbours : {known.causes_ever(vertex), known.relations_from_ever(vertex)}) {
    linked.insert(linked.end(), neighbours.vertices.begin(), neighbours.vertices.end());
  }
  std::ranges::sort(linked);
  return linked;
}

/// The edges a changed record adds to those it has.
std::vector<store::RowEdge> new_edges(Candidates const& candidates, Candidate const& candidate) {
  std::vector<store::RowEdge> edges;
  auto const linked = linked_nodes(candidates.known(), candidate.vertex);
  for (auto const& link : schema::links_of(*candidate.record)) {
    auto const other = candidates.find(link.other_type, link.other_id());
    if (!other || std::ranges::binary_search(linked, *other)) continue;
    edges.push_back({.type = link.type, .owner_is_from = link.owner_is_from, .other = *other, .value = link.value});
  }
  return edges;
}

/// A template after the batch's own revisions.
Result<SystemPromptTemplate const*> template_at(VertexId vertex, Candidates const& candidates, Contents& contents,
                                                Plan const& plan) {
  if (auto const* revision = plan.revision_of(vertex)) return &std::get<SystemPromptTemplate>(revision->whole);
  if (auto const* proposed = candidates.proposed(vertex)) return &std::get<SystemPromptTemplate>(*proposed->record);
  auto const record = contents.get(vertex);
  if (!record) return record.error();
  return &std::get<SystemPromptTemplate>(**record);
}

std::optional<VertexId> find_template(Candidates const& candidates, std::string const& model, std::int64_t version) {
  return candidates.find(RecordType::system_prompt_template, schema::join_key({model, std::to_string(version)}));
}

/// `made` is the template that replaces it.
void plan_inactive(VertexId vertex, SystemPromptTemplate whole, Candidate const& made, Candidates const& candidates,
                   Plan& plan) {
  whole.active = false;
  whole.updated_at = std::get<SystemPromptTemplate>(*made.record).created_at;
  plan.revise({.row = {.vertex = vertex,
                       .type = RecordType::system_prompt_template,
                       .revision = 0,
                       .kind = schema::RevisionKind::whole,
                       .rows_before = candidates.rows_up_to(made.index)},
               .content = whole,
               .whole = whole},
              candidates.known());
}

}  // namespace

void plan_revised(Candidates const& candidates, std::vector<Candidate const*> const& revised, Plan& plan) {
  for (auto const* candidate : revised) {
    plan.revise({.row = {.vertex = candidate->vertex,
                         .type = schema::type_of(*candidate->record),
                         .revision = 0,
                         .kind = schema::RevisionKind::whole,
                         .edges = new_edges(candidates, *candidate),
                         .rows_before = candidates.rows_up_to(candidate->index)},
                 .content = *candidate->record,
                 .whole = *candidate->record},
                candidates.known());
  }
}

Result<void> plan_deactivations(Candidates const& candidates, Contents& contents, Plan& plan) {
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    auto const* made = std::get_if<SystemPromptTemplate>(candidates.nth_new(i).record);
    if (made == nullptr || !made->active.value_or(true)) continue;
    // At most one is active, and usually it is the one before.
    for (auto version = made->version - 1; version > 0; --version) {
      auto const vertex = find_template(candidates, made->model_id, version);
      if (!vertex) continue;
      auto const before = template_at(*vertex, candidates, contents, plan);
      if (!before) return before.error();
      if (!(*before)->active.value_or(true)) continue;
      plan_inactive(*vertex, **before, candidates.nth_new(i), candidates, plan);
      break;
    }
  }
  return {};
}

}  // namespace whence::engine
