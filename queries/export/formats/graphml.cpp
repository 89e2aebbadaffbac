// GraphML, as its schema has it: the ids of nodes are numbers after a letter, because a ref is no NMTOKEN. Keys of
// nodes and of edges are numbered in one sequence.

#include "queries/export/format.hpp"
#include "queries/export/formats/xml_graph.hpp"
#include "schema/json/writer.hpp"

#include <memory>

namespace whence::exports {
namespace {

class GraphmlWriter final : public XmlGraphWriter {
 private:
  void begin_nodes(std::string& out) override {
    out.append(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
        "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    append_declarations(Owner::node, "node", out);
    append_declarations(Owner::edge, "edge", out);
    out.append("<graph edgedefault=\"directed\">\n");
  }

  void begin_edges(std::string&) override {}
  void end_edges(std::string& out) override { out.append("</graph>\n</graphml>\n"); }

  void append_node_id(std::uint64_t place, std::string_view, Part& part) override {
    schema::json::append_integer(part.text.append("\"n"), place);
    part.text.push_back('"');
  }

  [[nodiscard]] std::uint64_t first_edge() const override { return 0; }
  [[nodiscard]] bool needs_places() const override { return true; }

  /// A name as the schema allows it: `$idHash$` is `idHash`.
  [[nodiscard]] static std::string token_of(std::string name) {
    std::erase(name, '$');
    return name;
  }

  void append_declarations(Owner owner, std::string_view owner_name, std::string& out) const {
    for (auto const& key : keys(owner).all()) {
      out.append("<key id=\"k" + std::to_string(first_number(owner) + key.number) + "\" for=\"").append(owner_name);
      out.append("\" attr.name=\"").append(token_of(key.name));
      out.append("\" attr.type=\"").append(xml_name_of(key.kind)).append("\"/>\n");
    }
  }

  [[nodiscard]] std::string before_value(Owner owner, std::size_t number) const override {
    return "<data key=\"k" + std::to_string(first_number(owner) + number) + "\">";
  }

  void append_value(std::string_view value, Part& part) override {
    append_text(part, value);
    part.text.append("</data>");
  }

  [[nodiscard]] std::size_t first_number(Owner owner) const {
    return owner == Owner::node ? 0 : keys(Owner::node).all().size();
  }
};

}  // namespace

std::unique_ptr<GraphWriter> make_graphml(FormatOptions const&) {
  return std::make_unique<GraphmlWriter>();
}

}  // namespace whence::exports
