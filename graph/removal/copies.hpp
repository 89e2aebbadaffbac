#pragma once
// What goes with a text that is purged: its parts, its copies and what was made from nothing else.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/ids.hpp"
#include "schema/types/edge_type.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_set>
#include <vector>

namespace whence::graph {

/// Follows texts to their copies. Belongs to one thread.
class Copies {
 public:
  /// `known` outlives it. With `cascades` responses and answers go too that have no other source.
  Copies(Snapshot const& known, bool cascades) : known_{known}, cascades_{cascades} {}

  /// All that goes with `named`, those first, each once; and the answers that lose an excerpt. Once. O(what goes and
  /// its neighbours).
  void find(std::span<schema::VertexId const> named);

  [[nodiscard]] std::vector<schema::VertexId> const& found() const noexcept { return found_; }
  [[nodiscard]] std::vector<schema::VertexId> const& citing() const noexcept { return citing_; }
  [[nodiscard]] bool contains(schema::VertexId vertex) const { return known_of_.contains(schema::number(vertex)); }

 private:
  void add(schema::VertexId vertex);
  void spread(schema::VertexId from);
  void spread_along(schema::VertexId from, schema::VertexId effect, schema::EdgeType edge);
  [[nodiscard]] bool has_no_other(schema::VertexId effect, std::initializer_list<schema::EdgeType> types) const;

  Snapshot const& known_;
  bool cascades_;
  std::vector<schema::VertexId> found_;
  std::vector<schema::VertexId> citing_;
  std::unordered_set<std::uint32_t> is_citing_;  // `citing_` by number
  std::unordered_set<std::uint32_t> known_of_;   // `found_` by number
};

/// Calls `visit` with each neighbour and the named type of its edge.
template <class Visit>
void for_each_neighbour(Snapshot const& known, Neighbours const& neighbours, Visit const& visit) {
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    visit(neighbours.vertices[i], schema::named_type(known.type(neighbours.edges[i])));
  }
}

}  // namespace whence::graph
