// Evaluating lineage.diff.

#include "queries/lineage/difference.hpp"

#include "queries/lineage/walk.hpp"
#include "queries/moments.hpp"
#include "queries/order.hpp"
#include "queries/resolve.hpp"
#include "queries/vertex_map.hpp"

#include <span>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

/// One side of the comparison.
struct DiffSide {
  Snapshot snapshot;
  VertexId start;
};

Violation missing_param(std::string path) {
  return invalid_param("required", std::move(path), "", "give either `a` and `b`, or `ref`, `as_of_a` and `as_of_b`");
}

Result<void> check_form(LineageDiffParams const& params) {
  std::vector<Violation> wrong;
  if (params.ref) {
    if (!params.as_of_a) wrong.push_back(missing_param("/as_of_a"));
    if (!params.as_of_b) wrong.push_back(missing_param("/as_of_b"));
    if (params.a) wrong.push_back(invalid_param("one_of", "/a", "", "`a` does not go with `ref`"));
    if (params.b) wrong.push_back(invalid_param("one_of", "/b", "", "`b` does not go with `ref`"));
  } else {
    if (!params.a) wrong.push_back(missing_param("/a"));
    if (!params.b) wrong.push_back(missing_param("/b"));
    if (params.as_of_a) wrong.push_back(invalid_param("one_of", "/as_of_a", "", "`as_of_a` goes with `ref`"));
    if (params.as_of_b) wrong.push_back(invalid_param("one_of", "/as_of_b", "", "`as_of_b` goes with `ref`"));
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  return {};
}

Result<DiffSide> side_at(Snapshot const& head, NodeRef const& ref, AsOf const& moment, std::string_view path) {
  auto snapshot = snapshot_at(head, moment, path);
  if (!snapshot) return snapshot.error();
  auto const start = resolve(*snapshot, ref, "/ref");
  if (!start) return start.error();
  return DiffSide{std::move(*snapshot), *start};
}

Result<std::pair<DiffSide, DiffSide>> sides_of(Snapshot const& head, LineageDiffParams const& params) {
  if (auto const checked = check_form(params); !checked) return checked.error();
  if (!params.ref) {
    auto const starts = resolve_both(head, {*params.a, "/a"}, {*params.b, "/b"});
    if (!starts) return starts.error();
    return std::pair{DiffSide{head, starts->first}, DiffSide{head, starts->second}};
  }
  auto a = side_at(head, *params.ref, *params.as_of_a, "/as_of_a");
  if (!a) return a.error();
  auto b = side_at(head, *params.ref, *params.as_of_b, "/as_of_b");
  if (!b) return b.error();
  return std::pair{std::move(*a), std::move(*b)};
}

VertexMap places_of(std::vector<RankedNode> const& nodes) {
  std::vector<VertexId> vertices;
  vertices.reserve(nodes.size());
  for (RankedNode const& node : nodes) vertices.push_back(node.vertex);
  return VertexMap(vertices);
}

LineageDifference compare(Snapshot const& snapshot, LineageWalk&& a, LineageWalk&& b) {
  LineageDifference difference;
  VertexMap const places_a = places_of(a.nodes);
  VertexMap const places_b = places_of(b.nodes);
  for (RankedNode const& node : b.nodes) {
    auto const before = places_a.find(node.vertex);
    if (!before) {
      difference.added.push_back(node);
    } else if (double const weight = a.nodes[*before].value; weight != node.value) {
      difference.reweighted.push_back({node.vertex, weight, node.value});
    }
  }
  for (RankedNode const& node : a.nodes) {
    if (!places_b.find(node.vertex)) difference.removed.push_back(node);
  }
  sort_by_ref(snapshot, std::span(difference.added));
  sort_by_ref(snapshot, std::span(difference.removed));
  sort_by_ref(snapshot, std::span(difference.reweighted));
  if (a.is_cut_by_vertices || b.is_cut_by_vertices) difference.incomplete = Incomplete::nodes;
  take_cut(std::move(a.cut), difference);
  take_cut(std::move(b.cut), difference);
  return difference;
}

}  // namespace

Result<LineageDifference> lineage_diff(View const& view, LineageDiffParams const& params, Budget const& budget) {
  auto const sides = sides_of(view.snapshot, params);
  if (!sides) return sides.error();
  auto const walk = [&](DiffSide const& side) {
    graph::WalkLimits const limits{.edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max};
    return walk_lineage(side.snapshot, side.start, graph::Direction::ancestors, limits, {}, budget.interrupt);
  };
  auto a = walk(sides->first);
  if (!a) return a.error();
  auto b = walk(sides->second);
  if (!b) return b.error();
  return compare(view.snapshot, std::move(*a), std::move(*b));
}

}  // namespace whence::queries
