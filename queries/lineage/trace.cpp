// trace: from what was drawn out of a response back to what the response was made from.

#include "queries/lineage/edges.hpp"
#include "queries/order.hpp"
#include "queries/render/render.hpp"
#include "queries/resolve.hpp"
#include "queries/vertex_map.hpp"
#include "queries/queries.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;

/// A node of the trace: attachments are at depth 1, responses at 2, context units at 3.
struct Traced {
  VertexId vertex;
};

struct Trace {
  View view;
  Includes includes;
  std::vector<Traced> nodes;
  std::vector<MemberEdge> edges = {};
};

bool is_traceable(RecordType type) {
  return type == RecordType::keyword || type == RecordType::subject || type == RecordType::summary;
}

/// The distinct causes of `effects` along `type`, by ref.
std::vector<Traced> step_back(Snapshot const& snapshot, std::span<Traced const> effects, EdgeType type) {
  std::vector<Traced> causes;
  for (Traced const& effect : effects) {
    auto const neighbours = snapshot.causes(effect.vertex);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (snapshot.type(neighbours.edges[i]) == type) causes.push_back({neighbours.vertices[i]});
    }
  }
  std::ranges::sort(causes, {}, &Traced::vertex);
  auto const is_same = [](Traced const& a, Traced const& b) { return a.vertex == b.vertex; };
  causes.erase(std::unique(causes.begin(), causes.end(), is_same), causes.end());
  sort_by_ref(snapshot, std::span(causes));
  return causes;
}

/// The attachments it came from that are gone: deleted, or named and never recorded.
Result<std::vector<std::string>> dangling_of(View const& view, VertexId start) {
  auto const& snapshot = view.snapshot;
  std::vector<std::string> dangling;
  auto const add = [&](std::string_view hash) {
    if (snapshot.find(RecordType::xml_message_attachment, hash)) return;
    dangling.push_back(schema::format_ref(RecordType::xml_message_attachment, hash));
  };
  auto const causes = snapshot.causes_ever(start);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) == EdgeType::extracted_from) add(snapshot.id(causes.vertices[i]));
  }
  auto const record = read_one(view, start);
  if (!record) return record.error();
  std::visit(
      [&](auto const& each) {
        if constexpr (requires { each.source_xml_hash; }) {
          if (each.source_xml_hash) add(*each.source_xml_hash);
        }
      },
      *record);
  std::ranges::sort(dangling);
  dangling.erase(std::unique(dangling.begin(), dangling.end()), dangling.end());
  return dangling;
}

Result<std::vector<MemberEdge>> edges_of(Trace const& trace, VertexId start, Budget const& budget) {
  std::vector<VertexId> members;
  for (Traced const& node : trace.nodes) members.push_back(node.vertex);
  members.push_back(start);
  VertexMap const places(members);
  EdgeWalk walk{.sources = members, .direction = graph::Direction::ancestors, .edge_types = {}};
  for (auto const type : {EdgeType::extracted_from, EdgeType::rendered_as, EdgeType::used_in}) {
    walk.edge_types.insert(type);
  }
  return edges_among(trace.view.snapshot, members, places, walk, budget.interrupt);
}

List nodes_list(std::shared_ptr<Trace const> const& trace) {
  auto const write = [trace](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Traced const> const page(trace->nodes.data() + begin, end - begin);
    return write_nodes(out, trace->view, trace->includes, page, [](Writer&, Traced const&) {});
  };
  return {"nodes", trace->nodes.size(), write};
}

/// An edge travels with the farther of its ends. The start comes before all nodes.
Attached edges_beside(std::shared_ptr<Trace const> const& trace) {
  Attached attached{.name = "edges", .anchors = {}, .write = {}};
  auto const start_place = trace->nodes.size();
  for (MemberEdge const& edge : trace->edges) {
    bool const from_is_start = edge.from_place == start_place;
    bool const to_is_start = edge.to_place == start_place;
    attached.anchors.push_back(
        from_is_start ? edge.to_place : (to_is_start ? edge.from_place : std::max(edge.from_place, edge.to_place)));
  }
  attached.write = [trace](Writer& out, std::size_t item) -> Result<void> {
    write_edge(out, trace->view, trace->edges[item].stored);
    return {};
  };
  return attached;
}

}  // namespace

Result<Answer> trace(View const& view, TraceParams const& params, Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  if (!is_traceable(params.ref.type)) {
    return error_from(invalid_param("type", "/ref", schema::shown(schema::format_ref(params.ref)),
                                    "what is traced is a keyword, a subject or a summary"));
  }
  auto dangling = dangling_of(view, *start);
  if (!dangling) return dangling.error();
  auto const found = std::make_shared<Trace>(Trace{view, includes_of(params.include), {}});
  std::vector<Traced> layer{{*start}};
  for (auto const type : {EdgeType::extracted_from, EdgeType::rendered_as, EdgeType::used_in}) {
    layer = step_back(view.snapshot, layer, type);
    found->nodes.insert(found->nodes.end(), layer.begin(), layer.end());
  }
  auto edges = edges_of(*found, *start, budget);
  if (!edges) return edges.error();
  found->edges = std::move(*edges);

  Answer answer;
  answer.lists.push_back(nodes_list(found));
  answer.attached.push_back(edges_beside(found));
  answer.vertices = [found, start = *start](auto const&) {
    return shown_vertices(std::span<Traced const>(found->nodes), {&start, 1});
  };
  answer.write_members = [refs = std::move(*dangling)](Writer& out) {
    out.key("dangling").begin_array();
    for (std::string const& ref : refs) out.value(std::string_view(ref));
    out.end_array();
  };
  return answer;
}

}  // namespace whence::queries
