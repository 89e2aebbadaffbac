// A version edge is one that carries a version number: a declared source has the same edge type but carries none.

#include "queries/history/chain.hpp"

#include "schema/records/records.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

using graph::Snapshot;
using graph::VertexId;

/// The neighbour at the other end of a version edge.
struct Step {
  VertexId vertex;
  std::int64_t version;  ///< the newer end's
};

std::optional<Step> find_version_step(Snapshot const& snapshot, graph::Neighbours const& neighbours) {
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (schema::carried_by(snapshot.type(neighbours.edges[i])) != schema::Carries::version) continue;
    auto const version = snapshot.value(neighbours.edges[i]);
    if (version) return Step{neighbours.vertices[i], static_cast<std::int64_t>(*version)};
  }
  return std::nullopt;
}

/// The number of the first version there is: 1, unless those before it are deleted. Then the number is in its id, or on
/// the edge to the deleted version.
std::int64_t first_version(Snapshot const& snapshot, VertexId first) {
  auto record = schema::blank_record(snapshot.type(first));
  if (record) {
    schema::set_node_id(*record, snapshot.id(first));
    if (auto const* summary = std::get_if<schema::Summary>(&*record)) return summary->version;
    if (auto const* prompt = std::get_if<schema::SystemPromptTemplate>(&*record)) return prompt->version;
  }
  auto const deleted = find_version_step(snapshot, snapshot.causes_ever(first));
  return deleted ? deleted->version : 1;
}

}  // namespace

std::optional<VertexId> find_predecessor(Snapshot const& snapshot, VertexId vertex) {
  auto const step = find_version_step(snapshot, snapshot.causes(vertex));
  if (!step) return std::nullopt;
  return step->vertex;
}

std::vector<Version> version_chain(Snapshot const& snapshot, VertexId member) {
  std::vector<Version> chain;
  VertexId first = member;
  while (auto const older = find_version_step(snapshot, snapshot.causes(first))) {
    chain.push_back({first, older->version});
    first = older->vertex;
  }
  chain.push_back({first, first_version(snapshot, first)});
  std::reverse(chain.begin(), chain.end());
  while (auto const newer = find_version_step(snapshot, snapshot.effects(chain.back().vertex))) {
    chain.push_back({newer->vertex, newer->version});
  }
  return chain;
}

bool is_versioned(schema::RecordType type) noexcept {
  return std::any_of(schema::edge_rules().begin(), schema::edge_rules().end(), [&](schema::EdgeRule const& rule) {
    return rule.carries == schema::Carries::version && rule.from == type && rule.to == type;
  });
}

}  // namespace whence::queries
