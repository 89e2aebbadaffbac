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

  void node(std::size_t, Node const& node, std::string& out) override {
    append_quoted(out.append("  "), node.ref);
    append_quoted(out.append(" [label="), node.label);
    append_quoted(out.append(", type="), schema::name_of(node.type));
    if (!node.status.empty()) append_quoted(out.append(", status="), node.status);
    out.append("];\n");
  }

  void edge(std::size_t, Edge const& edge, std::string& out) override {
    auto const type = schema::name_of(edge.type);
    append_quoted(out.append("  "), edge.from);
    append_quoted(out.append(" -> "), edge.to);
    append_quoted(out.append(" [label="), type);
    append_quoted(out.append(", type="), type);
    for (auto const& attribute : edge.carried) {
      if (attribute.name == "weight") {
        append_quoted(out.append(", weight="), attribute.value);
      } else {
        lose("edge_attribute_left_out");
      }
    }
    out.append("];\n");
  }

  void end_pass(std::size_t pass, std::string& out) override {
    if (pass == 1) out.append("}\n");
  }

 private:
  /// Graphviz undoes the escape of `"` and keeps `\\\\` and `\\n` as they are; a reader must undo them, so they count.
  void append_quoted(std::string& out, std::string_view text) {
    out.push_back('"');
    for (char const c : text) {
      if (c == '"') {
        out.append("\\\"");
      } else if (c == '\\') {
        out.append("\\\\");
        lose("backslash_doubled");
      } else if (c == '\n') {
        out.append("\\n");
        lose("line_break_escaped");
      } else if (c == '\0') {
        out.append("\xEF\xBF\xBD");
        lose("character_replaced");
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
