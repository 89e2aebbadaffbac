// The four passes, and the elements that GraphML and GEXF share.

#include "queries/export/formats/xml_graph.hpp"

#include "queries/export/describe.hpp"
#include "queries/export/formats/xml_text.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>

namespace whence::exports {
namespace {

constexpr std::size_t declare_nodes = 0;
constexpr std::size_t declare_edges = 1;
constexpr std::size_t write_nodes = 2;
constexpr std::size_t write_edges = 3;

constexpr char const* encoded = "id_character_encoded";
constexpr char const* replaced = "character_replaced";

/// The attributes that one thread has seen, in the order in which it did.
struct KeysPart final : Part {
  Keys keys;
};

}  // namespace

std::vector<Pass> XmlGraphWriter::passes() const {
  return {{.over = Pass::Over::nodes, .has_json = false},
          {.over = Pass::Over::edges},
          {.over = Pass::Over::nodes},
          {.over = Pass::Over::edges}};
}

void XmlGraphWriter::begin(Counts const& counts, schema::TxId) {
  Keys possible;
  for (std::size_t i = 1; i < counts.edges.size(); ++i) {
    if (counts.edges[i] == 0) continue;
    for_each_possible_attribute(static_cast<schema::EdgeType>(i), [&](std::string_view name, Kind kind) {
      if (is_declared(name)) possible.declare(name, kind);
    });
  }
  edge_keys_max_ = possible.all().size();
}

void XmlGraphWriter::begin_pass(std::size_t pass, std::string& out) {
  if (pass == write_nodes) {
    begin_nodes(out);
    for (auto const& key : node_keys_.all()) before_node_values_.push_back(before_value(Owner::node, key.number));
    for (auto const& key : edge_keys_.all()) before_edge_values_.push_back(before_value(Owner::edge, key.number));
  }
  if (pass == write_edges) begin_edges(out);
}

std::unique_ptr<Part> XmlGraphWriter::new_part(std::size_t pass) const {
  if (pass == declare_nodes || pass == declare_edges) return std::make_unique<KeysPart>();
  return std::make_unique<Part>();
}

void XmlGraphWriter::end_pass(std::size_t pass, Part& part) {
  if (pass == write_edges) end_edges(part.text);
}

void XmlGraphWriter::see(std::size_t pass, std::span<schema::VertexId const> nodes, std::uint64_t first) {
  if (pass != write_nodes || !needs_places()) return;
  for (auto const vertex : nodes) {
    auto const number = static_cast<std::size_t>(schema::number(vertex));
    if (number >= places_.size()) places_.resize(std::max(number + 1, places_.size() * 2));
    places_[number] = static_cast<std::uint32_t>(first++);
  }
}

void XmlGraphWriter::node(std::size_t pass, Node const& node, Part& part) {
  if (pass == declare_nodes) {
    auto& seen = static_cast<KeysPart&>(part).keys;
    for_each_attribute_name(node, [&](std::string_view name, Kind kind) {
      if (is_declared(name)) seen.declare(name, kind);
    });
    return;
  }
  part.text.append("<node id=");
  append_node_id(part.place, node.ref, part);
  append_to_tag(node, part);
  part.text.push_back('>');
  begin_values(part.text);
  for_each_attribute(
      node, [&](std::string_view name, Kind, std::string_view value) { append_value(Owner::node, name, value, part); });
  end_values(part.text);
  part.text.append("</node>\n");
}

void XmlGraphWriter::edge(std::size_t pass, Edge const& edge, Part& part) {
  if (pass == declare_edges) {
    auto& seen = static_cast<KeysPart&>(part).keys;
    for_each_attribute(edge, [&](std::string_view name, Kind kind, std::string_view) {
      if (is_declared(name)) seen.declare(name, kind);
    });
    return;
  }
  auto& out = part.text;
  schema::json::append_integer(out.append("<edge id=\"e"), first_edge() + part.place);
  out.append("\" source=");
  append_node_id(place_of(edge.from_vertex), edge.from, part);
  out.append(" target=");
  append_node_id(place_of(edge.to_vertex), edge.to, part);
  append_to_tag(edge, part);
  out.push_back('>');
  begin_values(out);
  for_each_attribute(
      edge, [&](std::string_view name, Kind, std::string_view value) { append_value(Owner::edge, name, value, part); });
  end_values(out);
  out.append("</edge>\n");
}

/// A thread's attributes are in the order of its slices, so that the ones that are new here are those of the last.
void XmlGraphWriter::join(std::size_t pass, Part& part) {
  if (pass != declare_nodes && pass != declare_edges) return;
  auto& keys = pass == declare_nodes ? node_keys_ : edge_keys_;
  for (auto const& key : static_cast<KeysPart&>(part).keys.all()) keys.declare(key.name, key.kind);
}

bool XmlGraphWriter::is_complete(std::size_t pass) const {
  return pass == declare_edges && edge_keys_.all().size() == edge_keys_max_;
}

void XmlGraphWriter::append_value(Owner owner, std::string_view name, std::string_view value, Part& part) {
  if (!is_declared(name)) return;
  auto const& before = owner == Owner::node ? before_node_values_ : before_edge_values_;
  part.text.append(before[keys(owner).number_of(name)]);
  append_value(value, part);
}

void XmlGraphWriter::append_id(Part& part, std::string_view ref) {
  part.lose(encoded, append_xml_id(part.text.append("\""), ref));
  part.text.push_back('"');
}

std::uint32_t XmlGraphWriter::place_of(schema::VertexId vertex) const {
  auto const number = static_cast<std::size_t>(schema::number(vertex));
  return number < places_.size() ? places_[number] : 0;
}

void XmlGraphWriter::append_attribute(Part& part, std::string_view value) {
  part.lose(replaced, append_xml_attribute(part.text, value));
}

void XmlGraphWriter::append_text(Part& part, std::string_view value) {
  part.lose(replaced, append_xml_text(part.text, value));
}

}  // namespace whence::exports
