#pragma once
// The interface of a graph format: a list of passes over the nodes and edges, which are written as they are visited.

#include "queries/export/attribute.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
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
  [[nodiscard]] std::uint64_t all_edges() const;
};

/// One walk over all nodes or all edges, in their order.
struct Pass {
  enum class Over : std::uint8_t { nodes, edges } over;
  std::size_t file = 0;              ///< place in the format's files
  bool has_records = true;           ///< of nodes: whether their records are read
  schema::RecordTypeSet types = {};  ///< of nodes: only these; empty: all
};

/// How often something could not be expressed, by kind.
using Losses = std::map<std::string, std::uint64_t>;

/// Writes one format by appending to `out`, which the driver empties into the pass's file. Made for one export.
class GraphWriter {
 public:
  virtual ~GraphWriter() = default;

  [[nodiscard]] virtual std::vector<Pass> passes() const = 0;
  /// The content of files that no pass writes, by place in the format's files.
  [[nodiscard]] virtual std::vector<std::string_view> heads() const { return {}; }
  /// Called before the first pass.
  virtual void begin(Counts const& counts, schema::TxId tx) { (void)counts, (void)tx; }
  virtual void begin_pass(std::size_t pass, std::string& out) { (void)pass, (void)out; }
  virtual void node(std::size_t pass, Node const& node, std::string& out) { (void)pass, (void)node, (void)out; }
  virtual void edge(std::size_t pass, Edge const& edge, std::string& out) { (void)pass, (void)edge, (void)out; }
  virtual void end_pass(std::size_t pass, std::string& out) { (void)pass, (void)out; }

  [[nodiscard]] Losses const& losses() const noexcept { return losses_; }
  /// A sentence for the manifest on how to use the files; empty: none.
  [[nodiscard]] virtual std::string_view hint() const { return {}; }

 protected:
  void lose(std::string const& kind, std::uint64_t count = 1) {
    if (count > 0) losses_[kind] += count;
  }

 private:
  Losses losses_ = {};
};

}  // namespace whence::exports
