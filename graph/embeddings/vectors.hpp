#pragma once
// The embeddings of vertices, and the question which of them are most similar to a vector.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace whence::graph {

/// One vertex that a search found.
struct Match {
  VertexId vertex;
  double similarity;  ///< 0..1, never -0

  friend bool operator==(Match const&, Match const&) = default;
};

/// What a search is asked.
struct Nearest {
  Snapshot const& snapshot;       ///< of the graph whose vertices the embeddings are
  std::span<float const> vector;  ///< `Vectors::dimension` finite numbers, not all zero, of any length
  std::size_t count;              ///< at most so many matches; 0 gives none
  /// Only these vertices, in any order; repeated ones count once, those without an embedding are passed over. Nothing:
  /// all.
  std::optional<std::span<VertexId const>> among = {};
};

/// An embedding each for some of a graph's vertices: binary32 numbers, kept in memory, append-only.
///
/// One writer thread calls the members that are not `const`, at most one embedding a vertex for ever; any number of
/// threads search meanwhile and neither wait nor are waited for. An embedding is seen by snapshots from its transaction
/// on, once it is published. Publish before the graph does, so that a snapshot finds all that its transactions added;
/// roll back together with the graph, whose vertex numbers are used again.
///
/// Similarity is the cosine clamped to 0..1, computed in binary64:
///   p(a, b) / sqrt(p(a, a) * p(b, b)), p the inner product in the order of additions that graph/embeddings/dot.hpp
///   gives.
/// So it is the same to the last bit on every processor, exactly 1 between a vector and itself or its double, and ties
/// are ties everywhere.
class Vectors {
 public:
  static constexpr std::size_t dimension = 384;

  Vectors();
  ~Vectors();
  Vectors(Vectors const&) = delete;
  Vectors& operator=(Vectors const&) = delete;

  /// The embedding of `v`, which has none: `dimension` finite numbers, not all zero. `tx` is not below that of the
  /// embedding before, nor below the one that added `v`. Amortised O(dimension).
  void append(VertexId v, TxId tx, std::span<float const> vector);
  /// Shows searches what was appended.
  void publish() noexcept;
  /// Forgets what was appended since the last `publish`.
  void rollback() noexcept;

  /// The vertices most similar to a vector, best first; equal similarities in byte order of the vertices' ids, those of
  /// 0 included. Deleted vertices are left out. Exact: every embedding that may be found is looked at. Fails only where
  /// `interrupt` says so. O(embeddings, or those of `among`), times O(log count) for those that are taken in on the
  /// way.
  [[nodiscard]] Result<std::vector<Match>> nearest(Nearest const& asked, schema::Interrupt const& interrupt) const;

  /// How many embeddings are published.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Memory of the published embeddings and of the index from vertices to them.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::graph
