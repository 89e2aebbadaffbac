// The four passes, and the elements that GraphML and GEXF share.

#include "queries/export/formats/xml_graph.hpp"

#include "queries/export/formats/xml_text.hpp"

#include <algorithm>

namespace whence::exports {
namespace {

constexpr std::size_t declare_nodes = 0;
constexpr std::size_t declare_edges = 1;
constexpr std::size_t write_nodes = 2;
constexpr std::size_t write_edges = 3;

constexpr char const* encoded = "id_character_encoded";
constexpr char const* replaced = "character_replaced";

}  // namespace

std::vector<Pass> XmlGraphWriter::passes() const {
  return {{.over = Pass::Over::nodes},
          {.over = Pass::Over::edges},
          {.over = Pass::Over::nodes},
          {.over = Pass::Over::edges}};
}

void XmlGraphWriter::begin_pass(std::size_t pass, std::string& out) {
  if (pass == write_nodes) begin_nodes(out);
  if (pass == write_edges) begin_edges(out);
}

void XmlGraphWriter::end_pass(std::size_t pass, std::string& out) {
  if (pass == write_edges) end_edges(out);
}

void XmlGraphWriter::node(std::size_t pass, Node const& node, std::string& out) {
  if (pass == declare_nodes) return declare(node, node_keys_);
  if (needs_places()) keep_place(node.vertex);
  append_node_id(nodes_++, node.ref, out.append("<node id="));
  append_to_tag(node, out);
  out.push_back('>');
  append_values(Owner::node, node, out);
  out.append("</node>\n");
}

void XmlGraphWriter::edge(std::size_t pass, Edge const& edge, std::string& out) {
  if (pass == declare_edges) return declare(edge, edge_keys_);
  out.append("<edge id=\"e").append(std::to_string(first_edge() + edges_++)).append("\" source=");
  append_node_id(place_of(edge.from_vertex), edge.from, out);
  append_node_id(place_of(edge.to_vertex), edge.to, out.append(" target="));
  append_to_tag(edge, out);
  out.push_back('>');
  append_values(Owner::edge, edge, out);
  out.append("</edge>\n");
}

template <class Item>
void XmlGraphWriter::declare(Item const& item, Keys& keys) {
  for_each_attribute(item, [&](std::string_view name, Kind kind, std::string_view) {
    if (is_declared(name)) keys.declare(name, kind);
  });
}

template <class Item>
void XmlGraphWriter::append_values(Owner owner, Item const& item, std::string& out) {
  begin_values(out);
  for_each_attribute(item, [&](std::string_view name, Kind, std::string_view value) {
    if (is_declared(name)) append_value(owner, keys(owner).number_of(name), value, out);
  });
  end_values(out);
}

void XmlGraphWriter::append_id(std::string& out, std::string_view ref) {
  lose(encoded, append_xml_id(out.append("\""), ref));
  out.push_back('"');
}

void XmlGraphWriter::keep_place(schema::VertexId vertex) {
  auto const number = static_cast<std::size_t>(schema::number(vertex));
  if (number >= places_.size()) places_.resize(std::max(number + 1, places_.size() * 2));
  places_[number] = nodes_;
}

std::uint32_t XmlGraphWriter::place_of(schema::VertexId vertex) const {
  auto const number = static_cast<std::size_t>(schema::number(vertex));
  return number < places_.size() ? places_[number] : 0;
}

void XmlGraphWriter::append_attribute(std::string& out, std::string_view value) {
  lose(replaced, append_xml_attribute(out, value));
}

void XmlGraphWriter::append_text(std::string& out, std::string_view value) {
  lose(replaced, append_xml_text(out, value));
}

}  // namespace whence::exports
