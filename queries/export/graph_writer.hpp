#pragma once
// The interface of a graph format: a list of passes over the nodes and edges, which are written as they are visited.

#include "queries/export/attribute.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// The number of exported nodes and edges, known before anything is written.
struct Counts {
  std::array<std::uint64_t, schema::record_type_count> nodes = {};
  std::array<std::uint64_t, schema::edge_type_count> edges = {};

  [[nodiscard]] std::uint64_t of(schema::RecordType type) const { return nodes[static_cast<std::size_t>(type)]; }
  [[nodiscard]] std::uint64_t all_nodes() const;
};

/// One walk over nodes or edges, in their order.
struct Pass {
  enum class Over : std::uint8_t { nothing, nodes, edges } over;
  std::size_t file = 0;              ///< place in the format's files
  bool has_records = true;           ///< of nodes: whether their records are read
  bool has_json = true;              ///< of nodes with records: whether `Node::record` is made, beside `Node::content`
  bool is_shortened = false;         ///< of nodes with records: without references to what is deleted
  schema::RecordTypeSet types = {};  ///< of nodes: only these; empty: all
  /// Of edges: whether those of a type that start from nodes of a type are visited; empty: all.
  std::function<bool(schema::EdgeType type, schema::RecordType from)> takes = {};
  bool is_in_order = false;  ///< each item depends on the ones before: one thread visits all, with one part
};

/// How often something could not be expressed, by kind.
using Losses = std::map<std::string, std::uint64_t, std::less<>>;

/// What one thread writes in a pass: the items of one slice after the other. Slices are parts of the walk that several
/// threads work on at the same time; their texts are put together in the order of the walk.
struct Part {
  virtual ~Part() = default;

  void lose(std::string_view kind, std::uint64_t count = 1) {
    if (count == 0) return;
    auto const found = losses.find(kind);
    if (found != losses.end()) {
      found->second += count;
    } else {
      losses.emplace(kind, count);
    }
  }

  std::string text = {};    ///< what is written; the driver takes it away now and then
  std::uint64_t place = 0;  ///< of the item that is visited, from 0, among all of the pass
  Losses losses = {};
};

/// Writes one format. Made for one export. `node` and `edge` are called by several threads at the same time, each with
/// a part of its own, and so change nothing but the part, unless the pass is in order. All else is called by one thread
/// at a time.
class GraphWriter {
 public:
  virtual ~GraphWriter() = default;

  /// Asked again before each pass, whose number stays the same: what was learnt in one may spare work in the next.
  [[nodiscard]] virtual std::vector<Pass> passes() const = 0;
  /// Called before the first pass.
  virtual void begin(Counts const& counts, schema::TxId tx) { (void)counts, (void)tx; }
  virtual void begin_pass(std::size_t pass, std::string& out) { (void)pass, (void)out; }
  [[nodiscard]] virtual std::unique_ptr<Part> new_part(std::size_t pass) const {
    return (void)pass, std::make_unique<Part>();
  }
  /// Called for each slice of nodes in the order of the walk, before they are visited. `first` is the place of the
  /// first.
  virtual void see(std::size_t pass, std::span<schema::VertexId const> nodes, std::uint64_t first) {
    (void)pass, (void)nodes, (void)first;
  }
  virtual void node(std::size_t pass, Node const& node, Part& part) { (void)pass, (void)node, (void)part; }
  virtual void edge(std::size_t pass, Edge const& edge, Part& part) { (void)pass, (void)edge, (void)part; }
  /// Called after each slice in the order of the walk: takes over what the part has learnt.
  virtual void join(std::size_t pass, Part& part) { (void)pass, (void)part; }
  /// Whether the rest of the pass would change nothing. Called after `join`.
  [[nodiscard]] virtual bool is_complete(std::size_t pass) const { return (void)pass, false; }
  virtual void end_pass(std::size_t pass, Part& part) { (void)pass, (void)part; }
};

}  // namespace whence::exports
