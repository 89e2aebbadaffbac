// Summaries and templates have their numbers in their ids: their line is found by counting, past deleted ones too. A
// unit names the one before it, so its line is followed over edges.

#include "queries/history/chain.hpp"

#include "graph/snapshot/version_line.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <string>

namespace whence::queries {
namespace {

using graph::Snapshot;
using graph::VertexId;

std::string id_of(schema::Summary const& summary, std::int64_t version) {
  return schema::summary_id(summary.topic, version);
}

std::string id_of(schema::SystemPromptTemplate const& prompt, std::int64_t version) {
  return schema::join_key({prompt.model_id, std::to_string(version)});
}

/// Of records whose ids hold their numbers: one may have been written when the one before it was deleted.
template <class T>
std::vector<Version> numbered_chain(Snapshot const& snapshot, T const& member) {
  auto const find = [&](std::int64_t version) { return snapshot.find(T::record_type, id_of(member, version)); };
  auto const was = [&](std::int64_t version) {
    return find(version) || snapshot.find_deleted(T::record_type, id_of(member, version));
  };
  auto first = member.version;
  while (first > 1 && was(first - 1)) --first;
  std::vector<Version> chain;
  bool is_before_there = first == 1;  // a copy may lack what was deleted
  for (auto version = first; version == member.version || was(version); ++version) {
    auto const vertex = find(version);
    if (vertex) chain.push_back({*vertex, version, !is_before_there});
    is_before_there = vertex.has_value();
  }
  return chain;
}

std::vector<Version> unit_chain(Snapshot const& snapshot, VertexId member) {
  auto first = member;
  while (auto const older = graph::living_before(snapshot, first)) first = *older;
  std::vector<Version> chain;
  for (std::optional next{first}; next; next = graph::living_after(snapshot, *next)) {
    auto const named = graph::named_before(snapshot, *next);
    bool const is_dangling = named && snapshot.is_deleted(named->vertex);
    chain.push_back({*next, named ? named->version : 1, is_dangling});
  }
  return chain;
}

}  // namespace

std::optional<VertexId> find_predecessor(Snapshot const& snapshot, VertexId vertex) {
  auto const step = graph::named_before(snapshot, vertex);
  if (!step || snapshot.is_deleted(step->vertex)) return std::nullopt;
  return step->vertex;
}

std::vector<Version> version_chain(Snapshot const& snapshot, VertexId member) {
  if (auto record = schema::blank_record(snapshot.type(member))) {
    schema::set_node_id(*record, snapshot.id(member));
    if (auto const* summary = std::get_if<schema::Summary>(&*record)) return numbered_chain(snapshot, *summary);
    if (auto const* prompt = std::get_if<schema::SystemPromptTemplate>(&*record)) {
      return numbered_chain(snapshot, *prompt);
    }
  }
  return unit_chain(snapshot, member);
}

bool is_versioned(schema::RecordType type) noexcept {
  return std::any_of(schema::edge_rules().begin(), schema::edge_rules().end(), [&](schema::EdgeRule const& rule) {
    return rule.carries == schema::Carries::version && rule.from == type && rule.to == type;
  });
}

}  // namespace whence::queries
