#include "engine/impl/identity.hpp"

#include "schema/report.hpp"

#include <string>

namespace whence::engine {
namespace {

using schema::ContextUnit;
using schema::LineageManifest;
using schema::ManifestNode;
using schema::RecordType;

constexpr std::string_view conflict_rule = "conflict";

bool is_compared(Candidate const& candidate) {
  return candidate.record != nullptr && !candidate.is_new && !candidate.has_field_errors;
}

/// What stands under the candidate's vertex; null where that is a record of the batch with field errors.
schema::Record const* record_at(VertexId vertex, Candidates const& candidates, Contents const& contents) {
  auto const* proposed = candidates.proposed(vertex);
  if (proposed == nullptr) return &contents.at(vertex);
  return proposed->has_field_errors ? nullptr : proposed->record;
}

void check_candidate(Candidate const& candidate, Candidates const& candidates, Contents const& contents,
                     Findings& findings) {
  auto const* existing = record_at(candidate.vertex, candidates, contents);
  if (existing == nullptr || *existing == *candidate.record) return;
  bool const is_manifest = candidate.origin == Origin::manifest;
  findings.add(candidate.index,
               {Errc::conflict, conflict_rule, is_manifest ? "/response_id" : "/id",
                schema::shown(schema::id_of(*candidate.record)), "this id is known with other content"});
}

/// Compares what a manifest says of a unit, member by member; what it leaves out it does not deny.
void check_node(ManifestNode const& node, ContextUnit const& unit, std::string const& path, std::uint32_t index,
                Findings& findings) {
  auto const report = [&](std::string_view member, std::string_view seen) {
    findings.add(index, {Errc::conflict, conflict_rule, path + std::string(member), schema::shown(seen),
                         "the unit " + unit.id + " is known with another value"});
  };
  if (node.type != unit.type) report("/type", schema::name_of(node.type));
  if (node.source != unit.source) report("/source", node.source);
  if (node.embedding_id && node.embedding_id != unit.embedding_id) report("/embedding_id", *node.embedding_id);
  if (node.summary && node.summary != unit.summary) report("/summary", *node.summary);
}

void check_nodes(LineageManifest const& manifest, std::uint32_t index, Candidates const& candidates,
                 Contents const& contents, Findings& findings) {
  for (std::size_t i = 0; i < manifest.context_tree.size(); ++i) {
    auto const& node = manifest.context_tree[i];
    auto const vertex = candidates.find(RecordType::context_unit, node.id);
    auto const* record = vertex ? record_at(*vertex, candidates, contents) : nullptr;
    if (record == nullptr) continue;
    check_node(node, std::get<ContextUnit>(*record), "/context_tree/" + std::to_string(i), index, findings);
  }
}

LineageManifest const* comparable_manifest(WriteBatch const& batch, Candidate const& candidate) {
  if (candidate.origin != Origin::manifest || candidate.has_field_errors) return nullptr;
  return &std::get<LineageManifest>(batch.records[candidate.index].record);
}

}  // namespace

std::vector<VertexId> compared_vertices(WriteBatch const& batch, Candidates const& candidates) {
  std::vector<VertexId> vertices;
  auto const& known = candidates.known();
  for (auto const& candidate : candidates.all()) {
    if (is_compared(candidate) && known.contains(candidate.vertex)) vertices.push_back(candidate.vertex);
    auto const* manifest = comparable_manifest(batch, candidate);
    if (manifest == nullptr) continue;
    for (auto const& node : manifest->context_tree) {
      if (auto const unit = known.find(RecordType::context_unit, node.id)) vertices.push_back(*unit);
    }
  }
  return vertices;
}

void check_identity(WriteBatch const& batch, Candidates const& candidates, Contents const& contents,
                    Findings& findings) {
  for (auto const& candidate : candidates.all()) {
    if (is_compared(candidate)) check_candidate(candidate, candidates, contents, findings);
    if (auto const* manifest = comparable_manifest(batch, candidate)) {
      check_nodes(*manifest, candidate.index, candidates, contents, findings);
    }
  }
}

}  // namespace whence::engine
