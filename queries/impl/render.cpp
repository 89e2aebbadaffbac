// Node and edge forms. This is the inner loop of every answer: refs are written from the id's own bytes, no string is
// built for a node.

#include "queries/impl/render.hpp"

#include <algorithm>

#include "schema/json/codec.hpp"
#include "schema/limits.hpp"
#include "schema/record_reader.hpp"

namespace whence::queries {
namespace {

using schema::Carries;

// The member that shows the number an edge carries; empty where the number is not shown as it is.
std::string_view member_of(Carries carries) {
  switch (carries) {
    case Carries::weight: return "weight";
    case Carries::version: return "version";
    case Carries::score: return "score";
    case Carries::confidence: return "confidence";
    case Carries::similarity: return "similarity";
    case Carries::rank: return "rank";
    case Carries::none:
    case Carries::time:
    case Carries::citation: break;
  }
  return {};
}

void append_first(std::vector<DrawnEdge>& edges, graph::Neighbours const& neighbours, auto const& make) {
  std::size_t const count = std::min(neighbours.size(), schema::limits::node_edges_max);
  for (std::size_t i = 0; i < count; ++i) edges.push_back(make(neighbours.vertices[i], neighbours.edges[i]));
}

// Edge numbers follow the order of commit, and each list is in it: the first of all are among the first of each.
void write_edges_of(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  auto const causes = snapshot.causes(vertex);
  auto const effects = snapshot.effects(vertex);
  auto const relations_from = snapshot.relations_from(vertex);
  auto const relations_to = snapshot.relations_to(vertex);
  std::vector<DrawnEdge> edges;
  append_first(edges, causes, [&](VertexId v, EdgeId e) { return drawn(snapshot, v, vertex, e); });
  append_first(edges, effects, [&](VertexId v, EdgeId e) { return drawn(snapshot, vertex, v, e); });
  append_first(edges, relations_from, [&](VertexId v, EdgeId e) { return DrawnEdge{vertex, v, e}; });
  append_first(edges, relations_to, [&](VertexId v, EdgeId e) { return DrawnEdge{v, vertex, e}; });
  std::sort(edges.begin(), edges.end(), [](DrawnEdge const& a, DrawnEdge const& b) { return a.edge < b.edge; });
  edges.resize(std::min(edges.size(), schema::limits::node_edges_max));

  out.key("edges").begin_array();
  for (DrawnEdge const& edge : edges) write_edge(out, snapshot, edge);
  out.end_array();
  std::uint64_t const total = causes.size() + effects.size() + relations_from.size() + relations_to.size();
  out.member("edges_total", total);
}

std::vector<schema::ContextReference> context_units_of(Snapshot const& snapshot, VertexId response) {
  std::vector<schema::ContextReference> used;
  auto const causes = snapshot.causes(response);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != graph::EdgeType::used_in) continue;
    used.push_back({std::string(snapshot.id(causes.vertices[i])), snapshot.value(causes.edges[i]).value_or(0)});
  }
  return used;
}

}  // namespace

Includes includes_of(std::vector<Include> const& include) {
  auto const has = [&](Include one) { return std::find(include.begin(), include.end(), one) != include.end(); };
  return {.has_record = has(Include::record), .has_status = has(Include::status), .has_edges = has(Include::edges)};
}

DrawnEdge drawn(Snapshot const& snapshot, VertexId cause, VertexId effect, EdgeId edge) {
  graph::EdgeView const view = snapshot.edge(cause, effect, edge);
  return {view.from, view.to, edge};
}

void write_ref(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  out.raw("\"").out() += schema::name_of(snapshot.type(vertex));
  // The id is appended with its quotes and escapes; its opening quote is the place of the colon.
  std::size_t const colon = out.out().size();
  schema::json::append_string(out.out(), snapshot.id(vertex));
  out.out()[colon] = ':';
}

void write_identity(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  out.key("ref");
  write_ref(out, snapshot, vertex);
  out.member("type", schema::name_of(snapshot.type(vertex)));
  out.member("id", snapshot.id(vertex));
}

void write_edge(Writer& out, Snapshot const& snapshot, DrawnEdge const& edge) {
  graph::EdgeType const type = snapshot.type(edge.edge);
  out.begin_object();
  out.key("from");
  write_ref(out, snapshot, edge.from);
  out.key("to");
  write_ref(out, snapshot, edge.to);
  out.member("type", schema::name_of(type));
  out.member("tx", schema::number(snapshot.tx(edge.edge)));
  Carries const carries = schema::carried_by(type);
  if (carries == Carries::time) {
    if (auto const time = snapshot.time(edge.from)) out.member("timestamp", schema::format_rfc3339(*time));
  } else if (std::string_view const name = member_of(carries); !name.empty()) {
    if (auto const value = snapshot.value(edge.edge)) out.member(name, *value);
  }
  out.end_object();
}

void write_status_and_edges(Writer& out, Snapshot const& snapshot, VertexId vertex, Includes includes) {
  if (includes.has_status && snapshot.type(vertex) == schema::RecordType::context_unit) {
    out.member("status", graph::name_of(snapshot.state(vertex).status));
  }
  if (includes.has_edges) write_edges_of(out, snapshot, vertex);
}

void complete_from_graph(schema::Record& record, Snapshot const& snapshot, VertexId vertex) {
  std::vector<schema::ContextReference> used;
  if (snapshot.type(vertex) == schema::RecordType::response) used = context_units_of(snapshot, vertex);
  schema::complete(record, std::string(snapshot.id(vertex)), std::move(used));
}

void write_completed(Writer& out, schema::Record&& record, Snapshot const& snapshot, VertexId vertex) {
  complete_from_graph(record, snapshot, vertex);
  schema::json::write_record(out, record);
}

}  // namespace whence::queries
