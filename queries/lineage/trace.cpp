// Evaluating trace.

#include "queries/lineage/trace.hpp"

#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/vertex_map.hpp"
#include "queries/view/whole.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;

/// From an extracted record to its attachment, from there to the response, and on to the units that it used.
constexpr std::array steps = {EdgeType::extracted_from, EdgeType::rendered_as, EdgeType::used_in};

/// The distinct causes of `effects` along `type`, by ref.
std::vector<VertexId> step_back(Snapshot const& snapshot, std::span<VertexId const> effects, EdgeType type,
                                schema::EdgeTypeSet edge_types) {
  std::vector<VertexId> causes;
  for (VertexId const effect : effects) {
    auto const neighbours = snapshot.causes(effect);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      bool const is_walked = edge_types.contains(snapshot.type(neighbours.edges[i]));
      if (is_walked && snapshot.type(neighbours.edges[i]) == type) causes.push_back(neighbours.vertices[i]);
    }
  }
  std::ranges::sort(causes);
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  sort_by_ref(snapshot, std::span(causes));
  return causes;
}

/// The attachments it came from that are gone: deleted, or named and never recorded.
Result<std::vector<NodeRef>> dangling_of(View const& view, VertexId start) {
  auto const& snapshot = view.snapshot;
  std::vector<NodeRef> dangling;
  auto const add = [&](std::string_view hash) {
    if (snapshot.find(RecordType::xml_message_attachment, hash)) return;
    dangling.push_back({RecordType::xml_message_attachment, std::string(hash)});
  };
  auto const causes = snapshot.causes_ever(start);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) == EdgeType::extracted_from) add(snapshot.id(causes.vertices[i]));
  }
  auto const said = read_one(view, start);
  if (!said) return said.error();
  auto const* const record = said->find();
  if (record != nullptr)
    std::visit(
        [&](auto const& each) {
          if constexpr (requires { each.source_xml_hash; }) {
            if (each.source_xml_hash) add(*each.source_xml_hash);
          }
        },
        *record);
  std::ranges::sort(dangling, {}, &NodeRef::id);
  dangling.erase(std::unique(dangling.begin(), dangling.end()), dangling.end());
  return dangling;
}

Result<std::vector<MemberEdge>> edges_of(Snapshot const& snapshot, Trace const& trace, schema::EdgeTypeSet edge_types,
                                         Budget const& budget) {
  std::vector<VertexId> members = trace.nodes;
  members.push_back(trace.start);
  VertexMap const places(members);
  EdgeWalk const walk{.sources = members, .direction = graph::Direction::ancestors, .edge_types = edge_types};
  return edges_among(snapshot, members, places, walk, budget.interrupt);
}

/// The steps of the exchange, no further: what its units were made from is the lineage of each.
Result<Trace> trace_extracted(View const& view, VertexId start, TraceParams const& params, Budget const& budget) {
  auto dangling = dangling_of(view, start);
  if (!dangling) return dangling.error();
  Trace found{.start = start, .dangling = std::move(*dangling)};
  std::vector<VertexId> layer{start};
  schema::EdgeTypeSet walked;
  for (auto const type : steps) {
    walked.insert(type);
    layer = step_back(view.snapshot, layer, type, walked_types(params.basis));
    found.nodes.insert(found.nodes.end(), layer.begin(), layer.end());
  }
  auto edges = edges_of(view.snapshot, found, walked_types(params.basis, walked), budget);
  if (!edges) return edges.error();
  found.edges = std::move(*edges);
  return found;
}

Result<Trace> trace_ancestors(View const& view, VertexId start, TraceParams const& params, Budget const& budget) {
  auto const& snapshot = view.snapshot;
  graph::WalkLimits const limits{.edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max};
  auto walk = walk_lineage(snapshot, start, graph::Direction::ancestors, limits, {}, budget.interrupt, true);
  if (!walk) return walk.error();
  Trace found{.start = start, .nodes = vertices_of(walk->nodes, {})};
  for (auto const gone : walk->dangling) {
    found.dangling.push_back({snapshot.type(gone), std::string(snapshot.id(gone))});
  }
  if (walk->is_cut_by_vertices) found.incomplete = Incomplete::nodes;
  take_cut(std::move(walk->cut), found);
  auto edges = edges_of(snapshot, found, limits.edge_types, budget);
  if (!edges) return edges.error();
  found.edges = std::move(*edges);
  return found;
}

}  // namespace

Result<Trace> trace(View const& view, TraceParams const& params, Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  bool const is_extracted = schema::info(params.ref.type).is_extracted;
  return is_extracted ? trace_extracted(view, *start, params, budget) : trace_ancestors(view, *start, params, budget);
}

std::vector<VertexId> shown_vertices(Trace const& trace) {
  std::vector<VertexId> vertices{trace.start};
  vertices.insert(vertices.end(), trace.nodes.begin(), trace.nodes.end());
  return vertices;
}

}  // namespace whence::queries
