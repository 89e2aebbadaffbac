// Graphviz DOT: everything is quoted and there are few attributes, so that every Graphviz tool can draw the file.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"

#include <memory>

namespace whence::exports {
namespace {

class DotWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes}, {.over = Pass::Over::edges}};
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    if (pass == 0) out.append("digraph \"whence\" {\n");
  }

  void node(std::size_t, Node const& node, Part& part) override {
    append_quoted("  ", node.ref, part);
    append_quoted(" [label=", node.label, part);
    append_quoted(", type=", schema::name_of(node.type), part);
    if (!node.status.empty()) append_quoted(", status=", node.status, part);
    part.text.append("];\n");
  }

  void edge(std::size_t, Edge const& edge, Part& part) override {
    auto const type = schema::name_of(edge.type);
    append_quoted("  ", edge.from, part);
    append_quoted(" -> ", edge.to, part);
    append_quoted(" [label=", type, part);
    append_quoted(", type=", type, part);
    for (auto const& attribute : edge.carried) {
      if (attribute.name == "weight" || attribute.name == "basis" || attribute.name == "role") {
        append_quoted(", " + std::string(attribute.name) + "=", attribute.value, part);
      } else {
        part.lose("edge_attribute_left_out");
      }
    }
    part.text.append("];\n");
  }

  void end_pass(std::size_t pass, Part& part) override {
    if (pass == 1) part.text.append("}\n");
  }

 private:
  /// Graphviz undoes the escape of `"` and keeps `\\\\` and `\\n` as they are; a reader must undo them, so they count.
  static void append_quoted(std::string_view before, std::string_view text, Part& part) {
    auto& out = part.text;
    out.append(before).push_back('"');
    for (char const c : text) {
      if (c == '"') {
        out.append("\\\"");
      } else if (c == '\\') {
        out.append("\\\\");
        part.lose("backslash_doubled");
      } else if (c == '\n') {
        out.append("\\n");
        part.lose("line_break_escaped");
      } else if (c == '\0') {
        out.append("\xEF\xBF\xBD");
        part.lose("character_replaced");
      } else {
        out.push_back(c);
      }
    }
    out.push_back('"');
  }
};

}  // namespace

std::unique_ptr<GraphWriter> make_dot(FormatOptions const&) {
  return std::make_unique<DotWriter>();
}

}  // namespace whence::exports
