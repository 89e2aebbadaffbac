// Unknown refs are collected, not stopped at, so that a client learns of all of them at once.

#include "queries/view/resolve.hpp"

#include "graph/snapshot/unknown.hpp"

namespace whence::queries {
namespace {

/// The same of one ref in a list.
Violation unknown_item(graph::Snapshot const& snapshot, schema::NodeRef const& ref, std::string_view path,
                       std::size_t index) {
  auto violation = graph::unknown_ref(snapshot, ref, std::string(path) + "/" + std::to_string(index));
  violation.index = static_cast<std::uint32_t>(index);
  return violation;
}

}  // namespace

Result<graph::VertexId> resolve(graph::Snapshot const& snapshot, schema::NodeRef const& ref, std::string_view path) {
  auto const vertex = snapshot.find(ref.type, ref.id);
  if (!vertex) return error_from(graph::unknown_ref(snapshot, ref, std::string(path)));
  return *vertex;
}

Result<std::vector<graph::VertexId>> resolve_all(graph::Snapshot const& snapshot,
                                                 std::vector<schema::NodeRef> const& refs, std::string_view path) {
  std::vector<graph::VertexId> vertices;
  vertices.reserve(refs.size());
  std::vector<Violation> unknown;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (auto const vertex = snapshot.find(refs[i].type, refs[i].id)) {
      vertices.push_back(*vertex);
    } else {
      unknown.push_back(unknown_item(snapshot, refs[i], path, i));
    }
  }
  if (!unknown.empty()) return error_from(std::move(unknown));
  return vertices;
}

Result<std::pair<graph::VertexId, graph::VertexId>> resolve_both(graph::Snapshot const& snapshot, NamedRef const& a,
                                                                 NamedRef const& b) {
  auto const vertex_a = snapshot.find(a.ref.type, a.ref.id);
  auto const vertex_b = snapshot.find(b.ref.type, b.ref.id);
  if (vertex_a && vertex_b) return std::pair{*vertex_a, *vertex_b};
  std::vector<Violation> unknown;
  if (!vertex_a) unknown.push_back(graph::unknown_ref(snapshot, a.ref, std::string(a.path)));
  if (!vertex_b) unknown.push_back(graph::unknown_ref(snapshot, b.ref, std::string(b.path)));
  return error_from(std::move(unknown));
}

Violation invalid_param(std::string_view rule, std::string path, std::string seen, std::string message) {
  return Violation{.code = Errc::invalid_params,
                   .rule = std::string(rule),
                   .path = std::move(path),
                   .seen = std::move(seen),
                   .message = std::move(message)};
}

}  // namespace whence::queries
