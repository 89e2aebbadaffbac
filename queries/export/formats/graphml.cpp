// GraphML, as its schema has it: the ids of nodes are numbers after a letter, because a ref is no NMTOKEN. Keys of
// nodes and of edges are numbered in one sequence, and declared before the graph: so nodes and edges are walked twice,
// once to see which attributes there are and once to write them.

#include "queries/export/describe.hpp"
#include "queries/export/format.hpp"
#include "queries/export/formats/keys.hpp"
#include "queries/export/formats/xml_text.hpp"
#include "queries/export/graph_writer.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {
namespace {

constexpr std::size_t declare_nodes = 0;
constexpr std::size_t declare_edges = 1;
constexpr std::size_t write_nodes = 2;
constexpr std::size_t write_edges = 3;

/// The attributes that one thread has seen, in the order in which it did.
struct KeysPart final : Part {
  Keys keys;
};

std::string_view xml_name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::integer:
      return "long";
    case Kind::real:
      return "double";
    case Kind::flag:
      return "boolean";
    case Kind::text:
      break;
  }
  return "string";
}

/// A name as the schema allows it: `$idHash$` is `idHash`.
std::string token_of(std::string name) {
  std::erase(name, '$');
  return name;
}

/// Declares what `first_number` begins with, and makes what is written before each value.
std::vector<std::string> declare(Keys const& keys, std::size_t first_number, std::string_view owner, std::string& out) {
  std::vector<std::string> before;
  before.reserve(keys.all().size());
  for (auto const& key : keys.all()) {
    std::string const id = "k" + std::to_string(first_number + key.number);
    out.append("<key id=\"").append(id).append("\" for=\"").append(owner);
    out.append("\" attr.name=\"").append(token_of(key.name));
    out.append("\" attr.type=\"").append(xml_name_of(key.kind)).append("\"/>\n");
    before.push_back("<data key=\"" + id + "\">");
  }
  return before;
}

/// The key of an attribute, its value and what comes after it.
void append_data(std::string_view before, std::string_view value, Part& part) {
  part.text.append(before);
  part.lose("character_replaced", append_xml_text(part.text, value));
  part.text.append("</data>");
}

class GraphmlWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes, .has_json = false},
            {.over = Pass::Over::edges},
            {.over = Pass::Over::nodes},
            {.over = Pass::Over::edges}};
  }

  void begin(Counts const& counts, schema::TxId) override {
    Keys possible;
    for (std::size_t i = 1; i < counts.edges.size(); ++i) {
      if (counts.edges[i] == 0) continue;
      for_each_possible_attribute(static_cast<schema::EdgeType>(i),
                                  [&](std::string_view name, Kind kind) { possible.declare(name, kind); });
    }
    edge_keys_max_ = possible.all().size();
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    if (pass != write_nodes) return;
    out.append(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
        "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    before_node_values_ = declare(node_keys_, 0, "node", out);
    before_edge_values_ = declare(edge_keys_, node_keys_.all().size(), "edge", out);
    out.append("<graph edgedefault=\"directed\">\n");
  }

  [[nodiscard]] std::unique_ptr<Part> new_part(std::size_t pass) const override {
    if (pass == declare_nodes || pass == declare_edges) return std::make_unique<KeysPart>();
    return std::make_unique<Part>();
  }

  void end_pass(std::size_t pass, Part& part) override {
    if (pass == write_edges) part.text.append("</graph>\n</graphml>\n");
  }

  void see(std::size_t pass, std::span<schema::VertexId const> nodes, std::uint64_t first) override {
    if (pass != write_nodes) return;
    for (auto const vertex : nodes) {
      auto const number = static_cast<std::size_t>(schema::number(vertex));
      if (number >= places_.size()) places_.resize(std::max(number + 1, places_.size() * 2));
      places_[number] = static_cast<std::uint32_t>(first++);
    }
  }

  void node(std::size_t pass, Node const& node, Part& part) override {
    if (pass == declare_nodes) {
      auto& seen = static_cast<KeysPart&>(part).keys;
      for_each_attribute_name(node, [&](std::string_view name, Kind kind) { seen.declare(name, kind); });
      return;
    }
    schema::json::append_integer(part.text.append("<node id=\"n"), part.place);
    part.text.append("\">");
    for_each_attribute(node, [&](std::string_view name, Kind, std::string_view value) {
      append_data(before_node_values_[node_keys_.number_of(name)], value, part);
    });
    part.text.append("</node>\n");
  }

  void edge(std::size_t pass, Edge const& edge, Part& part) override {
    if (pass == declare_edges) {
      auto& seen = static_cast<KeysPart&>(part).keys;
      for_each_attribute(edge, [&](std::string_view name, Kind kind, std::string_view) { seen.declare(name, kind); });
      return;
    }
    auto& out = part.text;
    schema::json::append_integer(out.append("<edge id=\"e"), part.place);
    schema::json::append_integer(out.append("\" source=\"n"), place_of(edge.from_vertex));
    schema::json::append_integer(out.append("\" target=\"n"), place_of(edge.to_vertex));
    out.append("\">");
    for_each_attribute(edge, [&](std::string_view name, Kind, std::string_view value) {
      append_data(before_edge_values_[edge_keys_.number_of(name)], value, part);
    });
    out.append("</edge>\n");
  }

  /// A thread's attributes are in the order of its slices, so that the ones that are new here are those of the last.
  void join(std::size_t pass, Part& part) override {
    if (pass != declare_nodes && pass != declare_edges) return;
    auto& keys = pass == declare_nodes ? node_keys_ : edge_keys_;
    for (auto const& key : static_cast<KeysPart&>(part).keys.all()) keys.declare(key.name, key.kind);
  }

  [[nodiscard]] bool is_complete(std::size_t pass) const override {
    return pass == declare_edges && edge_keys_.all().size() == edge_keys_max_;
  }

 private:
  [[nodiscard]] std::uint64_t place_of(schema::VertexId vertex) const {
    auto const number = static_cast<std::size_t>(schema::number(vertex));
    return number < places_.size() ? places_[number] : 0;
  }

  Keys node_keys_;
  Keys edge_keys_;
  std::size_t edge_keys_max_ = 0;                     ///< that edges of the exported types may have
  std::vector<std::string> before_node_values_ = {};  ///< by number of the key
  std::vector<std::string> before_edge_values_ = {};
  std::vector<std::uint32_t> places_ = {};  ///< by vertex
};

}  // namespace

std::unique_ptr<GraphWriter> make_graphml(FormatOptions const&) {
  return std::make_unique<GraphmlWriter>();
}

}  // namespace whence::exports
