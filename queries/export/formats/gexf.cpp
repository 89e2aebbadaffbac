// GEXF 1.2draft, the version that readers agree on. Attributes are declared first, so all is walked twice.

#include "queries/export/keys.hpp"
#include "queries/export/writers.hpp"
#include "queries/export/formats/xml_text.hpp"

#include <algorithm>

namespace whence::exports {
namespace {

class GexfWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes},
            {.over = Pass::Over::edges},
            {.over = Pass::Over::nodes},
            {.over = Pass::Over::edges}};
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    if (pass == write_nodes) {
      out.append(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
          "<graph mode=\"static\" defaultedgetype=\"directed\">\n");
      append_attributes(node_keys_, "node", out);
      append_attributes(edge_keys_, "edge", out);
      out.append("<nodes>\n");
    } else if (pass == write_edges) {
      out.append("<edges>\n");
    }
  }

  void node(std::size_t pass, Node const& node, std::string& out) override {
    if (pass == see_nodes) return declare(node, node_keys_);
    lose(encoded, append_xml_id(out.append("<node id=\""), node.ref));
    lose(replaced, append_xml_attribute(out.append("\" label=\""), node.label));
    out.append("\">");
    append_values(node, node_keys_, out);
    out.append("</node>\n");
  }

  void edge(std::size_t pass, Edge const& edge, std::string& out) override {
    if (pass == see_edges) return declare(edge, edge_keys_);
    auto const weight = std::ranges::find(edge.carried, weight_name, &Attribute::name);
    out.append("<edge id=\"e").append(std::to_string(++edges_)).append("\" source=\"");
    lose(encoded, append_xml_id(out, edge.from));
    lose(encoded, append_xml_id(out.append("\" target=\""), edge.to));
    out.append("\" label=\"").append(schema::name_of(edge.type));
    if (weight != edge.carried.end()) out.append("\" weight=\"").append(weight->value);
    out.append("\">");
    append_values(edge, edge_keys_, out);
    out.append("</edge>\n");
  }

  void end_pass(std::size_t pass, std::string& out) override {
    if (pass == write_nodes) out.append("</nodes>\n");
    if (pass == write_edges) out.append("</edges>\n</graph>\n</gexf>\n");
  }

 private:
  static constexpr std::size_t see_nodes = 0;
  static constexpr std::size_t see_edges = 1;
  static constexpr std::size_t write_nodes = 2;
  static constexpr std::size_t write_edges = 3;
  static constexpr std::string_view weight_name = "weight";
  static constexpr char const* encoded = "id_character_encoded";
  static constexpr char const* replaced = "character_replaced";

  static void append_attributes(Keys const& keys, std::string_view owner, std::string& out) {
    out.append("<attributes class=\"").append(owner).append("\" mode=\"static\">\n");
    for (auto const& key : keys.all()) {
      out.append("<attribute id=\"" + std::to_string(key.number) + "\" title=\"").append(key.name);
      out.append("\" type=\"").append(xml_name_of(key.kind)).append("\"/>\n");
    }
    out.append("</attributes>\n");
  }

  /// An edge's weight is an attribute of the format itself; nodes have none.
  template <class Item>
  static void declare(Item const& item, Keys& keys) {
    for_each_attribute(item, [&](std::string_view name, Kind kind, std::string_view) {
      if (name != weight_name) keys.declare(name, kind);
    });
  }

  template <class Item>
  void append_values(Item const& item, Keys const& keys, std::string& out) {
    out.append("<attvalues>");
    for_each_attribute(item, [&](std::string_view name, Kind, std::string_view value) {
      if (name == weight_name) return;
      out.append("<attvalue for=\"").append(std::to_string(keys.number_of(name))).append("\" value=\"");
      lose(replaced, append_xml_attribute(out, value));
      out.append("\"/>");
    });
    out.append("</attvalues>");
  }

  Keys node_keys_;
  Keys edge_keys_;
  std::uint64_t edges_ = 0;
};

}  // namespace

std::unique_ptr<GraphWriter> make_gexf(FormatOptions const&) {
  return std::make_unique<GexfWriter>();
}

}  // namespace whence::exports
