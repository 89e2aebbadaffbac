// Node-link JSON (networkx, D3) and Cytoscape JSON: the same attributes in two arrangements.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"
#include "schema/json/writer.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {
namespace {

using schema::json::Writer;

void write_attribute(Writer& out, std::string_view name, Kind kind, std::string_view value) {
  out.key(name);
  kind == Kind::text ? out.value(value) : out.raw(value);
}

/// The attributes of a node or an edge but those called `left_out`.
template <class Item>
void write_attributes(Writer& out, Item const& item, std::string_view left_out = {}) {
  for_each_attribute(item, [&](std::string_view name, Kind kind, std::string_view value) {
    if (name != left_out) write_attribute(out, name, kind, value);
  });
}

/// Before each object of an array but the first.
void separate(Part& part) {
  if (part.place > 0) part.text.push_back(',');
}

/// Numbers the edges of one type between the same two nodes, because readers keep one edge per key. Only relations of
/// imported PROV documents come in such numbers.
class EdgeKeys {
 public:
  std::string next(Edge const& edge) {
    bool const is_same = edge.type == type_ && edge.from == from_ && edge.to == to_;
    count_ = is_same ? count_ + 1 : 1;
    type_ = edge.type;
    from_ = edge.from;
    to_ = edge.to;
    std::string key(schema::name_of(edge.type));
    return count_ == 1 ? key : key + "/" + std::to_string(count_);
  }

 private:
  schema::EdgeType type_ = {};
  std::string from_ = {};
  std::string to_ = {};
  std::size_t count_ = 0;
};

void write_edge_members(Writer& out, Edge const& edge, EdgeKeys& keys) {
  out.member("source", edge.from).member("target", edge.to);
  out.member("key", std::string_view(keys.next(edge)));
  write_attributes(out, edge);
}

class NodeLinkWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes}, {.over = Pass::Over::edges, .is_in_order = true}};
  }

  void begin(Counts const&, schema::TxId tx) override { tx_ = tx; }

  void begin_pass(std::size_t pass, std::string& out) override {
    keys_ = {};
    if (pass == 0) {
      out.append(R"({"directed":true,"multigraph":true,"graph":{"tx":)" + std::to_string(schema::number(tx_)));
      out.append(R"(},"nodes":[)");
    } else {
      out.append(",\"edges\":[");
    }
  }

  void node(std::size_t, Node const& node, Part& part) override {
    separate(part);
    Writer json(part.text);
    json.begin_object().member("id", std::string_view(node.ref));
    write_attributes(json, node);
    json.end_object();
  }

  void edge(std::size_t, Edge const& edge, Part& part) override {
    separate(part);
    Writer json(part.text);
    write_edge_members(json.begin_object(), edge, keys_);
    json.end_object();
  }

  void end_pass(std::size_t pass, Part& part) override { part.text.append(pass == 0 ? "]" : "]}\n"); }

 private:
  schema::TxId tx_{0};
  EdgeKeys keys_;
};

class CytoscapeWriter final : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const override {
    return {{.over = Pass::Over::nodes}, {.over = Pass::Over::edges, .is_in_order = true}};
  }

  void begin_pass(std::size_t pass, std::string& out) override {
    keys_ = {};
    out.append(pass == 0 ? R"({"data":[],"directed":true,"multigraph":true,"elements":{"nodes":[)" : R"(,"edges":[)");
  }

  void node(std::size_t, Node const& node, Part& part) override {
    separate(part);
    Writer json(part.text);
    json.begin_object().key("data").begin_object();
    json.member("id", std::string_view(node.ref)).member("value", std::string_view(node.ref));
    json.member("name", std::string_view(node.label));
    write_attributes(json, node, "name");  // which is the label where there is one
    json.end_object().end_object();
  }

  void edge(std::size_t, Edge const& edge, Part& part) override {
    separate(part);
    Writer json(part.text);
    write_edge_members(json.begin_object().key("data").begin_object(), edge, keys_);
    json.end_object().end_object();
  }

  void end_pass(std::size_t pass, Part& part) override { part.text.append(pass == 0 ? "]" : "]}}\n"); }

 private:
  EdgeKeys keys_;
};

}  // namespace

std::unique_ptr<GraphWriter> make_node_link(FormatOptions const&) {
  return std::make_unique<NodeLinkWriter>();
}

std::unique_ptr<GraphWriter> make_cytoscape(FormatOptions const&) {
  return std::make_unique<CytoscapeWriter>();
}

}  // namespace whence::exports
