// Asked of a version, the answer is that of the entity which it is a specialization of. Versions are numbered in the
// order of the times at which PROV says that they were generated.

#include "queries/history/generated_versions.hpp"

#include "queries/view/whole.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::queries {

namespace {

using graph::Neighbours;
using graph::Snapshot;
using graph::VertexId;
using schema::EdgeType;
using schema::RecordType;

bool is_generated(Snapshot const& snapshot, VertexId entity) {
  auto const causes = snapshot.causes(entity);
  return std::ranges::any_of(causes.edges,
                             [&](auto edge) { return snapshot.type(edge) == EdgeType::prov_was_generated_by; });
}

std::vector<VertexId> specializations(Snapshot const& snapshot, VertexId general) {
  std::vector<VertexId> found;
  auto const relations = snapshot.relations_to(general);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    auto const each = relations.vertices[i];
    if (snapshot.type(relations.edges[i]) != EdgeType::prov_specialization_of) continue;
    if (snapshot.type(each) == RecordType::prov_entity && is_generated(snapshot, each)) found.push_back(each);
  }
  return found;
}

std::optional<VertexId> general_of(Snapshot const& snapshot, VertexId entity) {
  auto const relations = snapshot.relations_from(entity);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (snapshot.type(relations.edges[i]) == EdgeType::prov_specialization_of) return relations.vertices[i];
  }
  return std::nullopt;
}

/// When the record says that it was generated; the beginning of time where it does not.
schema::Time generation_of(schema::Record const& record) {
  auto const* const entity = std::get_if<schema::ProvEntity>(&record);
  if (entity == nullptr || !entity->relations) return {};
  auto const relation =
      std::ranges::find(*entity->relations, std::string_view{"wasGeneratedBy"}, &schema::ProvRelation::relation);
  if (relation == entity->relations->end()) return {};
  auto const arguments = schema::json::parse(relation->attributes.json);
  auto const* const object = arguments ? arguments->value.if_object() : nullptr;
  auto const* const time = object == nullptr ? nullptr : object->if_contains("prov:time");
  if (time == nullptr || !time->is_string()) return {};
  return schema::parse_rfc3339(std::string_view(time->get_string())).value_or(schema::Time{});
}

}  // namespace

Result<std::vector<Version>> generated_versions(View const& view, VertexId member) {
  auto entities = specializations(view.snapshot, member);
  if (entities.empty()) {
    auto const general = general_of(view.snapshot, member);
    if (general) entities = specializations(view.snapshot, *general);
  }
  std::vector<std::pair<schema::Time, VertexId>> generated;
  auto const read = read_whole(view, entities, [&](std::size_t place, graph::Said&& said) {
    auto const* const record = said.find();  // one that is gone comes in the place of its transaction
    generated.emplace_back(record != nullptr ? generation_of(*record) : schema::Time{}, entities[place]);
    return true;
  });
  if (!read) return read.error();
  std::ranges::sort(generated);
  std::vector<Version> versions;
  versions.reserve(generated.size());
  for (auto const& [time, vertex] : generated) {
    versions.push_back({vertex, static_cast<std::int64_t>(versions.size() + 1)});
  }
  return versions;
}

}  // namespace whence::queries
