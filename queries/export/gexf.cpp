// GEXF 1.2draft, the version that readers agree on. Attributes are declared first, so all is walked twice.

#include "queries/export/impl/keys.hpp"
#include "queries/export/impl/writers.hpp"
#include "queries/export/impl/xml_text.hpp"

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
    auto const attributes = attributes_of(node);
    if (pass == see_nodes) return node_keys_.declare(attributes);
    lose(encoded, append_xml_id(out.append("<node id=\""), node.ref));
    lose(replaced, append_xml_attribute(out.append("\" label=\""), node.label));
    out.append("\">");
    append_values(attributes, node_keys_, out);
    out.append("</node>\n");
  }

  void edge(std::size_t pass, Edge const& edge, std::string& out) override {
    auto attributes = attributes_of(edge);
    auto const weight = std::ranges::find(attributes, "weight", &Attribute::name);
    std::string const weight_text = weight == attributes.end() ? "" : weight->value;
    if (weight != attributes.end()) attributes.erase(weight);
    if (pass == see_edges) return edge_keys_.declare(attributes);
    out.append("<edge id=\"e" + std::to_string(++edges_) + "\" source=\"");
    lose(encoded, append_xml_id(out, edge.from));
    lose(encoded, append_xml_id(out.append("\" target=\""), edge.to));
    out.append("\" label=\"").append(schema::name_of(edge.type));
    if (!weight_text.empty()) out.append("\" weight=\"").append(weight_text);
    out.append("\">");
    append_values(attributes, edge_keys_, out);
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

  void append_values(std::vector<Attribute> const& attributes, Keys const& keys, std::string& out) {
    out.append("<attvalues>");
    for (auto const& attribute : attributes) {
      out.append("<attvalue for=\"" + std::to_string(keys.number_of(attribute.name)) + "\" value=\"");
      lose(replaced, append_xml_attribute(out, attribute.value));
      out.append("\"/>");
    }
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
