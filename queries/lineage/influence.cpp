// lineage.influence and impact.analyze: total influence, the sum over all paths of the products of their weights, seen
// from the effect and from the cause.

#include "graph/walks/walk.hpp"
#include "queries/order.hpp"
#include "queries/render/render.hpp"
#include "queries/resolve.hpp"
#include "queries/queries.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

namespace whence::queries {
namespace {

struct Influenced {
  std::vector<Ranked> nodes;  ///< in order of the walk
  bool is_cut_by_vertices;
};

Result<Influenced> walk_influence(Snapshot const& snapshot, std::span<VertexId const> starts,
                                  graph::Direction direction, Budget const& budget) {
  graph::WalkLimits const limits{.vertices_max = budget.vertices_max};
  auto const reach = graph::reach(snapshot, starts, direction, limits, budget.interrupt);
  if (!reach) return reach.error();
  auto const totals = graph::total_influence(snapshot, starts, direction, limits, *reach, budget.interrupt);
  if (!totals) return totals.error();
  Influenced found{{}, reach->is_cut_by_vertices};
  found.nodes.reserve(reach->vertices.size());
  std::size_t place = 0;
  for (std::uint32_t layer = 0; layer < reach->layer_ends.size(); ++layer) {
    for (; place < reach->layer_ends[layer]; ++place) {
      found.nodes.push_back({reach->vertices[place], layer + 1, (*totals)[place]});
    }
  }
  return found;
}

/// How many affected nodes there are of each type and at each least depth.
struct Counts {
  std::array<std::uint64_t, schema::record_type_count> by_type{};
  std::map<std::uint32_t, std::uint64_t> by_depth;
};

Counts count(Snapshot const& snapshot, std::vector<Ranked> const& nodes) {
  Counts counts;
  for (Ranked const& node : nodes) {
    ++counts.by_type[static_cast<std::size_t>(snapshot.type(node.vertex))];
    ++counts.by_depth[node.depth];
  }
  return counts;
}

void write_counts(Writer& out, Counts const& counts) {
  out.key("counts").begin_object().key("by_type").begin_object();
  for (schema::RecordTypeInfo const& type : schema::record_types()) {
    std::uint64_t const of_type = counts.by_type[static_cast<std::size_t>(type.type)];
    if (of_type > 0) out.member(type.name, of_type);
  }
  out.end_object().key("by_depth").begin_object();
  for (auto const& [depth, at_depth] : counts.by_depth) out.member(std::to_string(depth), at_depth);
  out.end_object().end_object();
}

}  // namespace

Result<Answer> lineage_influence(View const& view, InfluenceParams const& params, Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  auto found = walk_influence(view.snapshot, std::span(&*start, 1), graph::Direction::ancestors, budget);
  if (!found) return found.error();
  rank(view.snapshot, std::span(found->nodes));

  auto const nodes = std::make_shared<std::vector<Ranked> const>(std::move(found->nodes));
  Includes const includes = includes_of(params.include);
  auto const write = [view, nodes, includes](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Ranked const> const page(nodes->data() + begin, end - begin);
    return write_nodes(out, view, includes, page,
                       [](Writer& node_out, Ranked const& node) { node_out.member("influence", node.value); });
  };
  Answer answer;
  answer.lists.push_back({"nodes", nodes->size(), write});
  if (found->is_cut_by_vertices) answer.incomplete = Incomplete::nodes;
  return answer;
}

Result<Answer> impact_analyze(View const& view, ImpactParams const& params, Budget const& budget) {
  Snapshot const& snapshot = view.snapshot;
  auto starts = resolve_all(snapshot, params.refs, "/refs");
  if (!starts) return starts.error();
  std::sort(starts->begin(), starts->end());  // a ref named twice influences once
  starts->erase(std::unique(starts->begin(), starts->end()), starts->end());
  auto found = walk_influence(snapshot, *starts, graph::Direction::descendants, budget);
  if (!found) return found.error();

  std::erase_if(found->nodes, [&](Ranked const& node) {
    return !schema::info(snapshot.type(node.vertex)).is_impact ||
           std::binary_search(starts->begin(), starts->end(), node.vertex);
  });
  rank(snapshot, std::span(found->nodes));

  auto const nodes = std::make_shared<std::vector<Ranked> const>(std::move(found->nodes));
  Includes const includes = includes_of(params.include);
  auto const write = [view, nodes, includes](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Ranked const> const page(nodes->data() + begin, end - begin);
    return write_nodes(out, view, includes, page, [](Writer& node_out, Ranked const& node) {
      node_out.member("depth", node.depth).member("influence", node.value);
    });
  };
  Answer answer;
  answer.lists.push_back({"nodes", nodes->size(), write});
  answer.write_members = [counts = count(snapshot, *nodes)](Writer& out) { write_counts(out, counts); };
  answer.vertices = [nodes, asked = std::move(*starts)](auto const&) {
    return shown_vertices(std::span<Ranked const>(*nodes), asked);
  };
  if (found->is_cut_by_vertices) answer.incomplete = Incomplete::nodes;
  return answer;
}

}  // namespace whence::queries
