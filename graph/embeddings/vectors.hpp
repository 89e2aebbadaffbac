#pragma once
// The embeddings of vertices, and the question which of them are most similar to a vector.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::graph {

/// One vertex that a search found.
struct Match {
  VertexId vertex;
  double similarity;  ///< 0..1, never -0

  friend bool operator==(Match const&, Match const&) = default;
};

/// Embeddings that can be compared.
struct SpaceName {
  std::string_view model;
  std::size_t dimension;

  friend auto operator<=>(SpaceName const&, SpaceName const&) = default;
};

/// What a search is asked.
struct Nearest {
  Snapshot const& snapshot;       ///< of the graph whose vertices the embeddings are
  std::span<float const> vector;  ///< 1 to 8,192 finite numbers, not all zero; only embeddings of as many are met
  std::size_t count;              ///< at most so many matches; 0 gives none
  /// Only these vertices, in any order; repeated ones count once, those without an embedding are passed over. Nothing:
  /// all.
  std::optional<std::span<VertexId const>> among = {};
  std::string_view model = {};  ///< only embeddings of this model
};

/// An embedding each for some of a graph's vertices: binary32 numbers, kept in memory, append-only. Each is of a model;
/// those of one model and one dimension form a space of their own, which a search looks at alone.
///
/// One writer thread calls the members that are not `const`. A vertex gets another embedding only once the content that
/// brought the one before is gone, which counts no more; any number of
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
  Vectors();
  ~Vectors();
  Vectors(Vectors const&) = delete;
  Vectors& operator=(Vectors const&) = delete;

  /// The embedding of `v`, which has none, or one that is gone: 1 to 8,192 finite numbers, not all zero. `tx` is not
  /// below that of the embedding before, nor below the one that added `v`. There is `has_room` for it. Amortised
  /// O(dimension), and O(spaces) to find its own.
  void append(VertexId v, TxId tx, std::span<float const> vector, std::string_view model);
  /// Whether all of these can be appended: there are at most `limits::embedding_spaces_max` spaces. Of the writer.
  [[nodiscard]] bool has_room(std::vector<SpaceName> names) const;
  /// Shows searches what was appended.
  void publish() noexcept;
  /// Forgets what was appended since the last `publish`.
  void rollback() noexcept;

  /// The vertices most similar to a vector, best first; equal similarities in byte order of the vertices' ids, those of
  /// 0 included. Deleted vertices are left out. Exact: every embedding that may be found is looked at. Fails only where
  /// `interrupt` says so. O(embeddings of the space, or those of `among`), times O(log count) for those that are taken
  /// in on the way.
  [[nodiscard]] Result<std::vector<Match>> nearest(Nearest const& asked, schema::Interrupt const& interrupt) const;

  /// The dimensions of the embeddings of a model that a snapshot sees, those of deleted vertices included, ascending.
  [[nodiscard]] std::vector<std::size_t> dimensions(Snapshot const& snapshot, std::string_view model) const;

  /// How many embeddings are published.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Memory of the published embeddings and of the index from vertices to them.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct Space;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::graph
