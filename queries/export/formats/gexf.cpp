// GEXF 1.2draft, the version that readers agree on.

#include "queries/export/format.hpp"
#include "queries/export/formats/xml_graph.hpp"

#include <algorithm>
#include <memory>

namespace whence::exports {
namespace {

class GexfWriter final : public XmlGraphWriter {
 private:
  static constexpr std::string_view weight_name = "weight";

  void begin_nodes(std::string& out) override {
    out.append(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
        "<graph mode=\"static\" defaultedgetype=\"directed\">\n");
    append_declarations(keys(Owner::node), "node", out);
    append_declarations(keys(Owner::edge), "edge", out);
    out.append("<nodes>\n");
  }

  void begin_edges(std::string& out) override { out.append("</nodes>\n<edges>\n"); }
  void end_edges(std::string& out) override { out.append("</edges>\n</graph>\n</gexf>\n"); }

  static void append_declarations(Keys const& keys, std::string_view owner, std::string& out) {
    out.append("<attributes class=\"").append(owner).append("\" mode=\"static\">\n");
    for (auto const& key : keys.all()) {
      out.append("<attribute id=\"" + std::to_string(key.number) + "\" title=\"").append(key.name);
      out.append("\" type=\"").append(xml_name_of(key.kind)).append("\"/>\n");
    }
    out.append("</attributes>\n");
  }

  /// An edge's weight is an attribute of the format itself; nodes have none.
  [[nodiscard]] bool is_declared(std::string_view name) const override { return name != weight_name; }

  void append_to_tag(Node const& node, Part& part) override {
    part.text.append(" label=\"");
    append_attribute(part, node.label);
    part.text.push_back('"');
  }

  void append_to_tag(Edge const& edge, Part& part) override {
    auto& out = part.text;
    out.append(" label=\"").append(schema::name_of(edge.type)).push_back('"');
    auto const weight = std::ranges::find(edge.carried, weight_name, &Attribute::name);
    if (weight != edge.carried.end()) out.append(" weight=\"").append(weight->value).push_back('"');
  }

  void begin_values(std::string& out) override { out.append("<attvalues>"); }
  void end_values(std::string& out) override { out.append("</attvalues>"); }

  [[nodiscard]] std::string before_value(Owner, std::size_t number) const override {
    return "<attvalue for=\"" + std::to_string(number) + "\" value=\"";
  }

  void append_value(std::string_view value, Part& part) override {
    append_attribute(part, value);
    part.text.append("\"/>");
  }
};

}  // namespace

std::unique_ptr<GraphWriter> make_gexf(FormatOptions const&) {
  return std::make_unique<GexfWriter>();
}

}  // namespace whence::exports
