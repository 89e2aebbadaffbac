// CSV (RFC 4180): a file of nodes and a file of edges.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <memory>

namespace whence::exports {
namespace {

/// Whether a spreadsheet would run it: the first characters that OWASP lists under CSV injection.
bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

bool needs_quotes(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

/// Quotes are used only where a field needs them.
void append_field(std::string& out, std::string_view text) {
  if (!needs_quotes(text)) {
    out.append(text);
    return;
  }
  out.push_back('"');
  for (auto quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"')) {
    out.append(text, 0, quote + 1).push_back('"');
    text.remove_prefix(quote + 1);
  }
  out.append(text).push_back('"');
}

/// Fields of one row; `end` closes it.
class Row {
 public:
  explicit Row(std::string& out) : out_(out) {}
  Row& add(std::string_view text) {
    if (!is_first_) out_.push_back(',');
    is_first_ = false;
    append_field(out_, text);
    return *this;
  }
  void end() { out_.push_back('\n'); }

 private:
  std::string& out_;
  bool is_first_ = true;
};

/// The attributes of an edge without its weight, as a JSON object.
std::string other_attributes(Edge const& edge) {
  bool const has_others =
      std::ranges::any_of(edge.carried, [](Attribute const& attribute) { return attribute.name != "weight"; });
  if (!has_others) return "{}";
  std::string text;
  schema::json::Writer json(text);
  json.begin_object();
  for (auto const& attribute : edge.carried) {
    if (attribute.name == "weight") continue;
    json.key(attribute.name);
    attribute.kind == Kind::text ? json.value(std::string_view(attribute.value)) : json.raw(attribute.value);
  }
  json.end_object();
  return text;
}

std::string_view weight_of(Edge const& edge) {
  for (auto const& attribute : edge.carried) {
    if (attribute.name == "weight") return attribute.value;
  }
  return {};
}

class CsvWriter final : public GraphWriter {
 public:
  explicit CsvWriter(Formulas formulas) : formulas_(formulas) {}

  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes, .file = 0}, {.over = Pass::Over::edges, .file = 1}};
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    out.append(pass == 0 ? "ref,type,id,tx,status,gone,time,label,record\n" : "from,to,type,tx,weight,attributes\n");
  }

  void node(std::size_t, Node const& node, Part& part) override {
    // The fields that `add_text` does not take begin with a letter, a digit or a brace; a negative weight is a number.
    Row row(part.text);
    row.add(node.ref).add(schema::name_of(node.type));
    add_text(row, node.id, part).add(std::to_string(schema::number(node.tx)));
    std::string_view const gone = node.is_purged ? "purged" : node.is_gone ? "expired" : "";
    add_text(row.add(node.status).add(gone).add(node.time), node.label, part).add(node.record).end();
  }

  void edge(std::size_t, Edge const& edge, Part& part) override {
    Row row(part.text);
    row.add(edge.from).add(edge.to).add(schema::name_of(edge.type)).add(edge.tx_text);
    row.add(weight_of(edge)).add(other_attributes(edge)).end();
  }

 private:
  /// A text of the client; with an apostrophe before it where it must not run.
  Row& add_text(Row& row, std::string_view text, Part& part) const {
    if (formulas_ == Formulas::keep || !is_formula(text)) return row.add(text);
    part.lose("formula_escaped");
    return row.add(std::string("'").append(text));
  }

  Formulas formulas_;
};

}  // namespace

std::unique_ptr<GraphWriter> make_csv(FormatOptions const& options) {
  return std::make_unique<CsvWriter>(options.formulas);
}

}  // namespace whence::exports
