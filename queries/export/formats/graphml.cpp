// GraphML. Keys must stand before the graph, so that nodes and edges are walked twice: once to see which there are.

#include "queries/export/keys.hpp"
#include "queries/export/writers.hpp"
#include "queries/export/formats/xml_text.hpp"

namespace whence::exports {
namespace {

class GraphmlWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes},
            {.over = Pass::Over::edges},
            {.over = Pass::Over::nodes},
            {.over = Pass::Over::edges}};
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    if (pass != write_nodes) return;
    out.append(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    append_keys(node_keys_, "node", 0, out);
    append_keys(edge_keys_, "edge", node_keys_.all().size(), out);
    out.append("<graph edgedefault=\"directed\">\n");
  }

  void node(std::size_t pass, Node const& node, std::string& out) override {
    if (pass == see_nodes) return declare(node, node_keys_);
    lose(encoded, append_xml_id(out.append("<node id=\""), node.ref));
    out.append("\">");
    append_data(node, node_keys_, 0, out);
    out.append("</node>\n");
  }

  void edge(std::size_t pass, Edge const& edge, std::string& out) override {
    if (pass == see_edges) return declare(edge, edge_keys_);
    out.append("<edge id=\"e").append(std::to_string(++edges_)).append("\" source=\"");
    lose(encoded, append_xml_id(out, edge.from));
    lose(encoded, append_xml_id(out.append("\" target=\""), edge.to));
    out.append("\">");
    append_data(edge, edge_keys_, node_keys_.all().size(), out);
    out.append("</edge>\n");
  }

  void end_pass(std::size_t pass, std::string& out) override {
    if (pass == write_edges) out.append("</graph>\n</graphml>\n");
  }

 private:
  static constexpr std::size_t see_nodes = 0;
  static constexpr std::size_t see_edges = 1;
  static constexpr std::size_t write_nodes = 2;
  static constexpr std::size_t write_edges = 3;
  static constexpr char const* encoded = "id_character_encoded";

  static void append_keys(Keys const& keys, std::string_view owner, std::size_t first, std::string& out) {
    for (auto const& key : keys.all()) {
      out.append("<key id=\"k" + std::to_string(first + key.number) + "\" for=\"").append(owner);
      out.append("\" attr.name=\"").append(key.name);
      out.append("\" attr.type=\"").append(xml_name_of(key.kind)).append("\"/>\n");
    }
  }

  template <class Item>
  static void declare(Item const& item, Keys& keys) {
    for_each_attribute(item, [&](std::string_view name, Kind kind, std::string_view) { keys.declare(name, kind); });
  }

  template <class Item>
  void append_data(Item const& item, Keys const& keys, std::size_t first, std::string& out) {
    for_each_attribute(item, [&](std::string_view name, Kind, std::string_view value) {
      out.append("<data key=\"k").append(std::to_string(first + keys.number_of(name))).append("\">");
      lose("character_replaced", append_xml_text(out, value));
      out.append("</data>");
    });
  }

  Keys node_keys_;
  Keys edge_keys_;
  std::uint64_t edges_ = 0;
};

}  // namespace

std::unique_ptr<GraphWriter> make_graphml(FormatOptions const&) {
  return std::make_unique<GraphmlWriter>();
}

}  // namespace whence::exports
