// Whichever is written later finds the other: a document looks up the entity of its `uri`, an entity the documents that
// name it or what it specializes. A known document gets no edge from its own descendants.

#include "engine/validation/retrieval/document_sources.hpp"

#include "graph/walks/walk.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/dataset_name.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <string>

namespace whence::engine {

namespace {

using schema::EdgeType;
using schema::RecordType;
using store::RowEdge;

constexpr std::uint64_t ancestors_max = 100'000;

/// The entity that a document names, and its specializations.
std::vector<VertexId> sources_of(schema::Document const& document, graph::Snapshot const& known) {
  std::vector<VertexId> sources;
  auto const add = [&](VertexId each) {
    if (std::ranges::find(sources, each) == sources.end()) sources.push_back(each);
  };
  for (auto const& uri : document.uri ? schema::source_uris(*document.uri) : std::vector<std::string>{}) {
    auto const named = known.find(RecordType::prov_entity, schema::prov_id(uri));
    if (!named) continue;
    add(*named);
    auto const relations = known.relations_to(*named);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      auto const is_kind = known.type(relations.edges[i]) == EdgeType::prov_specialization_of;
      auto const is_entity = known.type(relations.vertices[i]) == RecordType::prov_entity;
      if (is_kind && is_entity) add(relations.vertices[i]);
    }
  }
  return sources;
}

/// The ids of the entity of `row` and of those that it is a specialization of.
std::vector<std::string> names_of(store::VertexRow const& row, Candidates const& candidates) {
  std::vector<std::string> names{row.id};
  for (auto const& edge : row.edges) {
    if (edge.type != EdgeType::prov_specialization_of) continue;
    auto const* const proposed = candidates.proposed(edge.other);
    names.emplace_back(proposed != nullptr ? proposed->id : candidates.known().id(edge.other));
  }
  return names;
}

}  // namespace

Result<void> join_documents(Candidates const& candidates, bool are_known_documents_joined, DocumentIndex& documents,
                            Index::Source const& source, Plan& plan) {
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    auto& row = plan.rows[i];
    if (auto const* const document = std::get_if<schema::Document>(candidates.nth_new(i).record)) {
      for (auto const each : sources_of(*document, candidates.known())) {
        row.edges.push_back({.type = EdgeType::loaded_from, .owner_is_from = true, .other = each});
      }
    }
    if (!are_known_documents_joined || row.type != RecordType::prov_entity) continue;
    for (auto const& name : names_of(row, candidates)) {
      auto const named = documents.find(name, source);
      if (!named) return named.error();
      for (auto const each : *named) {
        bool const is_known = std::ranges::any_of(
            row.edges, [&](RowEdge const& edge) { return edge.type == EdgeType::loaded_from && edge.other == each; });
        if (!is_known) row.edges.push_back({.type = EdgeType::loaded_from, .owner_is_from = false, .other = each});
      }
    }
  }
  return {};
}

Result<std::vector<RowEdge>> documents_gained(VertexId vertex, schema::ProvNode const& entity,
                                              graph::Snapshot const& known, DocumentIndex& documents,
                                              Index::Source const& source) {
  std::vector<RowEdge> edges;
  auto const effects = known.effects_ever(vertex);
  for (auto const& link : schema::links_of(schema::Record{schema::ProvEntity{entity}})) {
    if (link.type != EdgeType::prov_specialization_of) continue;
    auto const named = documents.find(link.other_id(), source);
    if (!named) return named.error();
    for (auto const each : *named) {
      bool const is_known = std::ranges::find(effects.vertices, each) != effects.vertices.end() ||
                            std::ranges::any_of(edges, [&](RowEdge const& edge) { return edge.other == each; });
      if (!is_known) edges.push_back({.type = EdgeType::loaded_from, .owner_is_from = false, .other = each});
    }
  }
  return edges;
}

std::vector<RowEdge> edges_gained(VertexId vertex, schema::Document const& document, graph::Snapshot const& known) {
  std::vector<RowEdge> edges;
  auto const causes = known.causes_ever(vertex);
  for (auto const each : sources_of(document, known)) {
    if (std::ranges::find(causes.vertices, each) != causes.vertices.end()) continue;
    auto const ancestors = graph::reach(known, {&each, 1}, graph::Direction::ancestors, {.vertices_max = ancestors_max},
                                        schema::NoInterrupt{});
    if (!ancestors || ancestors->is_cut_by_vertices) continue;
    if (std::ranges::find(ancestors->vertices, vertex) != ancestors->vertices.end()) continue;
    edges.push_back({.type = EdgeType::loaded_from, .owner_is_from = true, .other = each});
  }
  return edges;
}

}  // namespace whence::engine
