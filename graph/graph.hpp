#pragma once
// The in-memory graph: append-only, stamped with transaction ids, adjacency in both directions of influence.

#include "graph/snapshot/snapshot.hpp"
#include "graph/storage/image_memory.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace whence::graph {

/// How much memory the graph at the watermark holds, in bytes. What is kept only for older snapshots, and the unused
/// tails of columns (never touched, so not resident), are not counted.
struct MemoryUse {
  std::uint64_t adjacency = 0;  ///< lists of all kinds with their free slots and headers, and the edge columns
  std::uint64_t vertices = 0;   ///< vertex columns, ids and the index of ids
  std::uint64_t states = 0;     ///< histories of states and of contents
};

/// The graph of one store. One writer thread calls the members that are not `const`; `snapshot` and everything on a
/// `Snapshot` may be called from any thread at any time. The graph outlives its snapshots.
///
/// A transaction is `begin`, any number of the changes below, `end`. Ended transactions are seen by `pending()`
/// only, until `publish` moves the watermark; `rollback` forgets those above it.
class Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// The graph whose image `image` holds (graph/image/image.hpp), published. Nothing where it holds none of this
  /// layout; nothing else of it is checked. Columns and lists stay in that memory and are changed there. O(vertices).
  [[nodiscard]] static std::optional<Graph> from_image(std::unique_ptr<ImageMemory> image);

  /// Opens transaction `tx`, which must be one above the last ended.
  void begin(TxId tx, schema::Time at);

  /// A new vertex. No visible one may be known as `type:id`. Amortised O(1).
  VertexId add_vertex(RecordType type, std::string_view id, std::optional<schema::Time> time);

  /// Room for `count` more causes of `v`, so that its list is allocated once and exactly.
  void reserve_causes(VertexId v, std::uint32_t count);

  /// A new edge in its stored direction; the edge table decides which way it influences. Both ends are visible. `rank`
  /// is 0 for an edge that has none beside its value. Amortised O(1).
  EdgeId add_edge(EdgeType type, VertexId from, VertexId to, std::optional<double> value, std::uint32_t rank = 0);

  /// A further content of a visible vertex, under the next revision number, which is returned: 1, 2, 3, ... also where
  /// several come in one transaction. O(1).
  std::uint32_t revise(VertexId v, RevisionKind kind);

  /// Deletes a visible vertex of an earlier transaction: from this one on it and its edges are not seen. Its number and
  /// its edges stay, for earlier moments; its id is free again. O(its edges).
  void hide(VertexId v);

  /// Says that the contents which `v` has from earlier transactions are gone. Snapshots see it from `publish` on, those
  /// of earlier moments too. O(its revisions).
  void forget_contents(VertexId v, GoneWhy why);

  /// Appends to a unit's history of states.
  void set_state(VertexId unit, StateCause cause, UnitState state);

  void end();

  /// Makes every ended transaction visible to new snapshots.
  void publish();

  /// Forgets every transaction above the watermark, an open one included. Their vertex numbers are used again.
  void rollback();

  /// The writer's own view: everything so far, an open transaction included. Only for the writer thread.
  [[nodiscard]] Snapshot pending() const;

  /// The graph at the watermark.
  [[nodiscard]] Snapshot snapshot() const;

  [[nodiscard]] MemoryUse memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::graph
