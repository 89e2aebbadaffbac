#pragma once
// GraphML and GEXF in common: attributes are declared before the graph, so nodes and edges are walked twice, once to
// see which attributes there are and once to write them.

#include "queries/export/formats/keys.hpp"
#include "queries/export/graph_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// Writes elements `node` and `edge`; a format adds its own words around and inside them.
class XmlGraphWriter : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const final;
  void begin_pass(std::size_t pass, std::string& out) final;
  void node(std::size_t pass, Node const& node, std::string& out) final;
  void edge(std::size_t pass, Edge const& edge, std::string& out) final;
  void end_pass(std::size_t pass, std::string& out) final;

 protected:
  enum class Owner : std::uint8_t { node, edge };

  /// The attributes that occur; complete when `begin_nodes` is called.
  [[nodiscard]] Keys const& keys(Owner owner) const noexcept { return owner == Owner::node ? node_keys_ : edge_keys_; }

  /// Appends the value of an XML attribute; counts the characters that XML cannot hold.
  void append_attribute(std::string& out, std::string_view value);
  /// The same for the content of an element.
  void append_text(std::string& out, std::string_view value);

 private:
  /// Everything before the first node, declarations included.
  virtual void begin_nodes(std::string& out) = 0;
  virtual void begin_edges(std::string& out) = 0;
  /// Everything after the last edge.
  virtual void end_edges(std::string& out) = 0;

  /// Whether an attribute is declared; otherwise the format writes it in its own way.
  [[nodiscard]] virtual bool is_declared(std::string_view name) const { return (void)name, true; }
  /// Further XML attributes of the start tag, each with a space before it.
  virtual void append_to_tag(Node const& node, std::string& out) { (void)node, (void)out; }
  virtual void append_to_tag(Edge const& edge, std::string& out) { (void)edge, (void)out; }
  /// Around the values of one node or edge.
  virtual void begin_values(std::string& out) { (void)out; }
  virtual void end_values(std::string& out) { (void)out; }
  /// The value of `id`, with its quotes: the ref, or what the format allows in its place. `place` counts the nodes in
  /// their order, from 0.
  virtual void append_node_id(std::uint32_t place, std::string_view ref, std::string& out) {
    (void)place, append_id(out, ref);
  }
  /// The number of the first edge.
  [[nodiscard]] virtual std::uint64_t first_edge() const { return 1; }
  /// Whether edges name their ends by place; then each node's place is kept.
  [[nodiscard]] virtual bool needs_places() const { return false; }
  /// One value; `number` is that of its key.
  virtual void append_value(Owner owner, std::size_t number, std::string_view value, std::string& out) = 0;

  template <class Item>
  void declare(Item const& item, Keys& keys);
  template <class Item>
  void append_values(Owner owner, Item const& item, std::string& out);
  void append_id(std::string& out, std::string_view ref);
  void keep_place(schema::VertexId vertex);
  [[nodiscard]] std::uint32_t place_of(schema::VertexId vertex) const;

  Keys node_keys_;
  Keys edge_keys_;
  std::uint32_t nodes_ = 0;
  std::uint64_t edges_ = 0;
  std::vector<std::uint32_t> places_ = {};  // by vertex
};

}  // namespace whence::exports
