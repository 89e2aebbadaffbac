#include "graph/snapshot/version_line.hpp"

#include "schema/types/edge_type.hpp"

#include <cstddef>
#include <vector>

namespace whence::graph {
namespace {

/// The version number of an edge; nothing where its type carries none, or it is a declared source.
std::optional<double> version_on(Snapshot const& snapshot, EdgeId edge) {
  if (schema::carried_by(snapshot.type(edge)) != schema::Carries::version) return std::nullopt;
  return snapshot.value(edge);
}

}  // namespace

std::optional<VersionStep> named_before(Snapshot const& snapshot, VertexId vertex) {
  auto const causes = snapshot.causes_ever(vertex);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const version = version_on(snapshot, causes.edges[i]);
    if (version) return VersionStep{causes.vertices[i], static_cast<std::int64_t>(*version)};
  }
  return std::nullopt;
}

std::optional<VertexId> living_before(Snapshot const& snapshot, VertexId vertex) {
  auto step = named_before(snapshot, vertex);
  while (step && snapshot.is_deleted(step->vertex)) step = named_before(snapshot, step->vertex);
  return step ? std::optional{step->vertex} : std::nullopt;
}

std::optional<VertexId> living_after(Snapshot const& snapshot, VertexId vertex) {
  std::vector<VertexId> passed{vertex};
  for (std::size_t next = 0; next < passed.size(); ++next) {
    auto const effects = snapshot.effects_ever(passed[next]);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (!version_on(snapshot, effects.edges[i])) continue;
      if (!snapshot.is_deleted(effects.vertices[i])) return effects.vertices[i];
      passed.push_back(effects.vertices[i]);
    }
  }
  return std::nullopt;
}

}  // namespace whence::graph
