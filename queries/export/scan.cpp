// Counting: of a whole graph the graph itself has the numbers, of a selection its nodes are asked.

#include "queries/export/scan.hpp"

#include "graph/walks/reduction.hpp"
#include "queries/view/owned_edges.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace whence::exports {

using graph::DeltaEdge;
using schema::EdgeType;
using schema::VertexId;

std::uint64_t Counts::all_nodes() const {
  std::uint64_t sum = 0;
  for (auto const count : nodes) sum += count;
  return sum;
}

Selection::Selection(std::vector<VertexId> vertices, std::uint32_t vertex_count)
    : vertices_(std::move(vertices)), members_(vertex_count) {
  std::ranges::sort(vertices_);
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
  for (auto const vertex : vertices_) members_[schema::number(vertex)] = true;
}

bool Scan::wants(VertexId vertex) const {
  if (selection_ != nullptr) return selection_->has(vertex);
  return !source_.view.snapshot.is_deleted(vertex);
}

bool Scan::wants(DeltaEdge const& edge) const {
  if (!wants(edge.from) || !wants(edge.to)) return false;
  return left_out_.empty() || !std::ranges::binary_search(left_out_, edge.edge);
}

Result<void> Scan::leave_out_implied_edges() {
  auto const& snapshot = source_.view.snapshot;
  auto const reduce = [&](std::span<VertexId const> vertices) -> Result<void> {
    auto implied = graph::implied_edges(snapshot, vertices, schema::EdgeTypeSet::all(), interrupt_);
    if (!implied) return implied.error();
    left_out_ = std::move(*implied);
    return {};
  };
  if (selection_ != nullptr) return reduce(selection_->vertices());
  std::vector<VertexId> visible;
  for (std::uint32_t i = 0; i < snapshot.vertex_count(); ++i) {
    if (wants(VertexId{i})) visible.push_back(VertexId{i});
  }
  return reduce(visible);
}

Counts Scan::count() const {
  auto const& snapshot = source_.view.snapshot;
  Counts counts;
  if (selection_ == nullptr) {
    for (auto const& row : schema::record_types()) {
      if (row.is_node) counts.nodes[static_cast<std::size_t>(row.type)] = snapshot.vertex_count(row.type);
    }
    for (std::size_t i = 1; i < counts.edges.size(); ++i) {
      auto const type = static_cast<EdgeType>(i);
      counts.edges[i] = snapshot.edge_count(type);
      if (schema::named_type(type) != type) continue;
      schema::for_each_variant(type, [&](EdgeType each) { counts.edges[i] -= snapshot.edge_count(each); });
    }
    for (auto const edge : left_out_) --counts.edges[static_cast<std::size_t>(snapshot.type(edge))];
    return counts;
  }
  std::vector<DeltaEdge> edges;
  for (auto const vertex : selection_->vertices()) {
    ++counts.nodes[static_cast<std::size_t>(snapshot.type(vertex))];
    edges.clear();
    queries::append_owned_edges(snapshot, vertex, edges);
    for (auto const& edge : edges) {
      if (wants(edge)) ++counts.edges[static_cast<std::size_t>(snapshot.type(edge.edge))];
    }
  }
  return counts;
}

bool Scan::is_closed() const {
  auto const& snapshot = source_.view.snapshot;
  auto const refers_inside = [&](VertexId vertex) {
    std::vector<DeltaEdge> edges;
    queries::append_owned_edges_ever(snapshot, vertex, edges);
    return std::ranges::all_of(edges, [&](DeltaEdge const& edge) { return wants(edge.from) && wants(edge.to); });
  };
  if (selection_ != nullptr) return std::ranges::all_of(selection_->vertices(), refers_inside);
  // A visible record can refer outside only to a deleted node.
  for (auto const& row : schema::record_types()) {
    if (!row.is_node) continue;
    for (auto const deleted : snapshot.deleted_vertices(row.type)) {
      for (auto const& list : {snapshot.causes_ever(deleted), snapshot.effects_ever(deleted),
                               snapshot.relations_from_ever(deleted), snapshot.relations_to_ever(deleted)}) {
        for (auto const other : list.vertices) {
          if (!snapshot.is_deleted(other) && !refers_inside(other)) return false;
        }
      }
    }
  }
  return true;
}

void Scan::rest() {
  constexpr std::chrono::milliseconds between{100};
  auto const now = std::chrono::steady_clock::now();
  if (!source_.rest || now - rested_ < between) return;
  rested_ = now;
  source_.rest();
}

}  // namespace whence::exports
