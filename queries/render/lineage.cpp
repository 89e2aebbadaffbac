// Members and lists of the answers about lineage. Edges go with nodes, so that a page never shows an edge to a node
// that is still to come.

#include "queries/render/lineage.hpp"

#include "queries/render/lists.hpp"
#include "schema/base/limits.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace whence::queries {
namespace {

/// Most of what one-hop answers are made of, so the names are not looked at for escapes.
void write_depth_and_weight(Writer& out, RankedNode const& node) {
  using namespace std::string_view_literals;
  std::string& text = out.out();  // the identity is there, so a comma comes first
  text.append(node.depth == 1 ? R"(,"depth":1)"sv : R"(,"depth":)"sv);
  if (node.depth != 1) text.append(std::to_string(node.depth));
  schema::json::append_number(text.append(R"(,"weight":)"sv), node.value);
}

List edge_list(Owner owner, View const& view, std::vector<MemberEdge> const& edges) {
  return list_of_each("edges", std::move(owner), edges,
                      [view](Writer& out, MemberEdge const& edge) { write_edge(out, view, edge.stored); });
}

/// Each edge goes with the later of its nodes; the start, whose place follows the `nodes`, is before all of them.
Attached attached_edges(Owner owner, View const& view, std::vector<MemberEdge> const& edges, std::size_t nodes) {
  Attached attached{.name = "edges", .anchors = {}, .write = {}};
  attached.anchors.reserve(edges.size());
  for (MemberEdge const& edge : edges) {
    bool const touches_start = edge.from_place == nodes || edge.to_place == nodes;
    attached.anchors.push_back(touches_start ? std::min(edge.from_place, edge.to_place)
                                             : std::max(edge.from_place, edge.to_place));
  }
  attached.write = [owner = std::move(owner), view, &edges](Writer& out, std::size_t item) -> Result<void> {
    write_edge(out, view, edges[item].stored);
    return {};
  };
  return attached;
}

void write_path(Writer& out, View const& view, graph::Path const& path) {
  out.begin_object().member("weight", path.weight).key("refs").begin_array();
  for (VertexId const vertex : path.vertices) write_ref(out, view.snapshot, vertex);
  out.end_array().key("edges").begin_array();
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    write_edge(out, view, stored_edge(view.snapshot, path.vertices[i], path.vertices[i + 1], path.edges[i]));
  }
  out.end_array().end_object();
}

void write_frontier(Writer& out, Snapshot const& snapshot, std::vector<FrontierNode> const& frontier) {
  out.key("frontier").begin_array();
  for (FrontierNode const& node : frontier) {
    out.begin_object().key("ref");
    write_ref(out, snapshot, node.vertex);
    out.member("causes", node.causes).member("effects", node.effects).end_object();
  }
  out.end_array();
}

void write_reweighted(Writer& out, Snapshot const& snapshot, Reweighted const& node) {
  out.begin_object().key("ref");
  write_ref(out, snapshot, node.vertex);
  out.member("before", node.before).member("after", node.after).end_object();
}

/// How two texts differ.
void write_words(Writer& out, WordDifference const& difference) {
  bool const is_same =
      std::ranges::all_of(difference.parts, [](WordPart const& part) { return part.op == WordOp::same; });
  out.begin_object().member("same", is_same);
  if (difference.is_coarse) out.member("coarse", true);
  out.key("parts").begin_array();
  for (WordPart const& part : difference.parts) {
    out.begin_object().member("op", schema::name_of(part.op)).member("text", std::string_view(part.text)).end_object();
  }
  out.end_array().end_object();
}

void write_dominator(Writer& out, Snapshot const& snapshot, std::map<VertexId, VertexId> const& dominators,
                     VertexId node) {
  auto const dominator = dominators.find(node);
  out.key("dominator");
  if (dominator == dominators.end()) {
    out.null();
  } else {
    write_ref(out, snapshot, dominator->second);
  }
}

void write_counts(Writer& out, ImpactCounts const& counts) {
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

void write_cut(Writer& out, View const& view, std::vector<graph::CutRelation> const& cut) {
  if (cut.empty()) return;
  out.key("cut_edges").begin_array();
  for (auto const& each : std::span(cut).first(std::min(cut.size(), schema::limits::node_edges_max))) {
    write_edge(out, view, {each.from, each.to, each.edge});
  }
  out.end_array().member("cut_edges_total", std::uint64_t{cut.size()});
}

PageSource render(View const& view, Lineage&& lineage, LineageParams const& params) {
  auto const found = std::make_shared<Lineage const>(std::move(lineage));
  PageSource source{.incomplete = found->incomplete};
  if (params.form == Form::edges) {
    source.lists.push_back(edge_list(found, view, found->edges));
  } else {
    auto const write_node = [found](Writer& out, RankedNode const& node) {
      write_depth_and_weight(out, node);
      auto const columns = found->columns.find(schema::number(node.vertex));
      if (columns == found->columns.end()) return;
      out.key("columns").begin_array();
      for (auto const& column : columns->second) out.value(std::string_view(column));
      out.end_array();
    };
    source.lists.push_back(node_list("nodes", found, view, found->nodes, params.include, write_node));
  }
  if (params.form == Form::graph) {
    source.attached = {attached_edges(found, view, found->edges, found->nodes.size())};
  }
  if (found->dangling.empty() && found->cut.empty()) return source;
  source.write_members = [view, found](Writer& out) {
    if (!found->dangling.empty()) {
      out.key("dangling").begin_array();
      for (VertexId const vertex : found->dangling) write_ref(out, view.snapshot, vertex);
      out.end_array();
    }
    write_cut(out, view, found->cut);
  };
  return source;
}

PageSource render(View const& view, LineageGraph&& graph, LineageGraphParams const& params) {
  auto const found = std::make_shared<LineageGraph const>(std::move(graph));
  return {.lists = {node_list("nodes", found, view, found->nodes, params.include, write_depth_and_weight),
                    edge_list(found, view, found->edges)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            write_frontier(out, view.snapshot, found->frontier);
            if (found->reduced_edges) out.member("reduced_edges", *found->reduced_edges);
            write_cut(out, view, found->cut);
          }};
}

PageSource render(View const& view, LineagePaths&& paths, PathParams const& /*params*/) {
  auto const found = std::make_shared<LineagePaths const>(std::move(paths));
  auto const write = [view](Writer& out, graph::Path const& path) { write_path(out, view, path); };
  PageSource source{.lists = {list_of_each("paths", found, found->paths, write)}, .incomplete = found->incomplete};
  source.write_members = [view, found](Writer& out) {
    if (found->dominators) {
      out.key("dominators").begin_array();
      for (VertexId const vertex : *found->dominators) write_ref(out, view.snapshot, vertex);
      out.end_array();
    }
    write_cut(out, view, found->cut);
  };
  return source;
}

PageSource render(View const& view, Influence&& influence, InfluenceParams const& params) {
  auto const found = std::make_shared<Influence const>(std::move(influence));
  auto const write = [](Writer& out, WeighedNode const& node) {
    out.member("depth", node.depth).member("share", node.share);
  };
  return {.lists = {node_list("nodes", found, view, found->nodes, params.include, write)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) { write_cut(out, view, found->cut); }};
}

PageSource render(View const& /*view*/, FittedManifest&& manifest, ManifestParams const& /*params*/) {
  auto const found = std::make_shared<FittedManifest const>(std::move(manifest));
  return {.write_members = [found](Writer& out) {
    schema::json::write_manifest(out.key("manifest"), found->manifest, found->form);
    out.key("omitted").begin_array();
    for (std::string_view const name : found->omitted) out.value(name);
    out.end_array().member("manifest_bytes", found->bytes);
  }};
}

PageSource render(View const& view, LineageDifference&& difference, LineageDiffParams const& params) {
  auto const found = std::make_shared<LineageDifference const>(std::move(difference));
  auto const write = [view](Writer& out, Reweighted const& node) { write_reweighted(out, view.snapshot, node); };
  auto const write_version = [view](Writer& out, OtherVersion const& each) {
    write_ref(out.begin_object().key("a"), view.snapshot, each.before);
    write_ref(out.key("b"), view.snapshot, each.after);
    if (each.text) write_words(out.key("words"), *each.text);
    out.end_object();
  };
  auto const write_moved = [view](Writer& out, Moved const& each) {
    write_ref(out.begin_object().key("ref"), view.snapshot, each.vertex);
    out.member("place_a", each.before).member("place_b", each.after).end_object();
  };
  return {.lists = {node_list("added", found, view, found->added, params.include, write_depth_and_weight),
                    node_list("removed", found, view, found->removed, params.include, write_depth_and_weight),
                    list_of_each("reweighted", found, found->reweighted, write),
                    list_of_each("versions", found, found->versions, write_version),
                    list_of_each("moved", found, found->moved, write_moved),
                    list_of_each("common", found, found->common, write)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            if (found->text) write_words(out.key("text"), *found->text);
            write_gone_nodes(out, view.snapshot, found->gone);
            write_cut(out, view, found->cut);
          }};
}

PageSource render(View const& view, Impact&& impact, ImpactParams const& params) {
  auto const found = std::make_shared<Impact const>(std::move(impact));
  auto const write = [view, found, has_dominators = params.dominators](Writer& out, WeighedNode const& node) {
    out.member("depth", node.depth).member("share", node.share);
    if (has_dominators) write_dominator(out, view.snapshot, found->dominators, node.vertex);
  };
  return {.lists = {node_list("nodes", found, view, found->nodes, params.include, write)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            write_counts(out, found->counts);
            write_cut(out, view, found->cut);
          }};
}

PageSource render(View const& view, Trace&& trace, TraceParams const& params) {
  auto const found = std::make_shared<Trace const>(std::move(trace));
  return {.lists = {node_list("nodes", found, view, found->nodes, params.include)},
          .attached = {attached_edges(found, view, found->edges, found->nodes.size())},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            out.key("dangling").begin_array();
            for (NodeRef const& ref : found->dangling) out.value(std::string_view(schema::format_ref(ref)));
            out.end_array();
            write_cut(out, view, found->cut);
          }};
}

}  // namespace whence::queries
