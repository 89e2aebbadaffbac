#pragma once
// GraphML and GEXF in common: attributes are declared before the graph, so nodes and edges are walked twice, once to
// see which attributes there are and once to write them.

#include "queries/export/formats/keys.hpp"
#include "queries/export/graph_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// Writes elements `node` and `edge`; a format adds its own words around and inside them.
class XmlGraphWriter : public GraphWriter {
 public:
  [[nodiscard]] std::vector<Pass> passes() const final;
  void begin(Counts const& counts, schema::TxId tx) final;
  void begin_pass(std::size_t pass, std::string& out) final;
  [[nodiscard]] std::unique_ptr<Part> new_part(std::size_t pass) const final;
  void see(std::size_t pass, std::span<schema::VertexId const> nodes, std::uint64_t first) final;
  void node(std::size_t pass, Node const& node, Part& part) final;
  void edge(std::size_t pass, Edge const& edge, Part& part) final;
  void join(std::size_t pass, Part& part) final;
  [[nodiscard]] bool is_complete(std::size_t pass) const final;
  void end_pass(std::size_t pass, Part& part) final;

 protected:
  enum class Owner : std::uint8_t { node, edge };

  /// The attributes that occur; complete when `begin_nodes` is called.
  [[nodiscard]] Keys const& keys(Owner owner) const noexcept { return owner == Owner::node ? node_keys_ : edge_keys_; }

  /// Appends the value of an XML attribute; counts the characters that XML cannot hold.
  static void append_attribute(Part& part, std::string_view value);
  /// The same for the content of an element.
  static void append_text(Part& part, std::string_view value);

 private:
  /// Everything before the first node, declarations included.
  virtual void begin_nodes(std::string& out) = 0;
  virtual void begin_edges(std::string& out) = 0;
  /// Everything after the last edge.
  virtual void end_edges(std::string& out) = 0;

  /// Whether an attribute is declared; otherwise the format writes it in its own way.
  [[nodiscard]] virtual bool is_declared(std::string_view name) const { return (void)name, true; }
  /// Further XML attributes of the start tag, each with a space before it.
  virtual void append_to_tag(Node const& node, Part& part) { (void)node, (void)part; }
  virtual void append_to_tag(Edge const& edge, Part& part) { (void)edge, (void)part; }
  /// Around the values of one node or edge.
  virtual void begin_values(std::string& out) { (void)out; }
  virtual void end_values(std::string& out) { (void)out; }
  /// The value of `id`, with its quotes: the ref, or what the format allows in its place. `place` counts the nodes in
  /// their order, from 0.
  virtual void append_node_id(std::uint64_t place, std::string_view ref, Part& part) {
    (void)place, append_id(part, ref);
  }
  /// The number of the first edge.
  [[nodiscard]] virtual std::uint64_t first_edge() const { return 1; }
  /// Whether edges name their ends by place; then each node's place is kept.
  [[nodiscard]] virtual bool needs_places() const { return false; }
  /// What is written before a value; the same for every value of the key with this number.
  [[nodiscard]] virtual std::string before_value(Owner owner, std::size_t number) const = 0;
  /// One value and what comes after it.
  virtual void append_value(std::string_view value, Part& part) = 0;

  void append_value(Owner owner, std::string_view name, std::string_view value, Part& part);
  static void append_id(Part& part, std::string_view ref);
  [[nodiscard]] std::uint32_t place_of(schema::VertexId vertex) const;

  Keys node_keys_;
  Keys edge_keys_;
  std::size_t edge_keys_max_ = 0;                     ///< that edges of the exported types may have
  std::vector<std::string> before_node_values_ = {};  ///< by number of the key
  std::vector<std::string> before_edge_values_ = {};
  std::vector<std::uint32_t> places_ = {};  ///< by vertex
};

}  // namespace whence::exports
