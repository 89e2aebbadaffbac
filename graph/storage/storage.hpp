#pragma once
// Everything a graph holds, as snapshots read it and the writer (graph.cpp) extends it.

#include "graph/storage/adjacency.hpp"
#include "graph/storage/chunked.hpp"
#include "graph/storage/edge_values.hpp"
#include "graph/storage/epoch.hpp"
#include "graph/storage/id_table.hpp"
#include "graph/storage/image_memory.hpp"
#include "graph/storage/running_count.hpp"
#include "graph/storage/values.hpp"
#include "schema/base/time.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace whence::graph::impl {

/// A record's own time, or none.
struct VertexTime {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::int64_t seconds = 0;
  std::uint32_t nanos = none;
};

/// A transaction: when, and what there was after it. Vertices and edges are numbered in order of commit, so this table
/// alone says what a snapshot sees.
struct TxRow {
  schema::Time at;
  std::uint32_t vertex_count;
  std::uint32_t edge_count;
};

/// One change of a unit's state, linked to the one before. Never reused, not even after a rollback: a reader may be
/// walking through it to older ones.
struct StateRow {
  std::uint32_t previous;
  std::uint32_t tx;
  UnitState state;
  StateCause cause;
};
inline constexpr std::uint32_t no_state = std::numeric_limits<std::uint32_t>::max();

/// One further content of a vertex, linked like a state and as little reused. `needed` leads to the contents that are
/// folded under this one: past the updates, which no later content needs.
struct RevisionRow {
  std::uint32_t previous;
  std::uint32_t needed;  ///< the latest row before this that is not an update
  std::uint32_t tx;
  std::uint32_t vertex;  ///< for followers of all revisions in the order of their rows
  std::uint32_t number : 24;
  RevisionKind kind : 8;
};
static_assert(schema::revisions_max < (std::uint32_t{1} << 24));
inline constexpr std::uint32_t no_revision = std::numeric_limits<std::uint32_t>::max();

/// Whether and why contents of a vertex are gone, as one number: those of the first `count` revisions, the highest bit
/// set where they were purged.
struct GoneContents {
  static constexpr std::uint32_t purged = std::uint32_t{1} << 31U;
  static constexpr std::uint32_t count_mask = purged - 1;
};

/// What the rank of an edge is found by: below all ranks of it, above those of edges before.
constexpr std::uint64_t ranked(std::uint32_t edge) noexcept {
  return std::uint64_t{edge} << 32U;
}

/// In the column of deletions: a vertex that was never deleted. Above every transaction. The number is read relaxed: it
/// is written once, before its transaction is published, and publication orders it before every reader that must see
/// it. A reader of an earlier transaction may meet it or not: both answer visible, after a rollback too.
inline constexpr std::uint32_t never_hidden = std::numeric_limits<std::uint32_t>::max();

/// What few vertices have: relations, further contents or states, a deletion. A vertex is given a row of it when it
/// first needs one, and its number keeps that row, also when a rollback gives the number to another vertex, so rows
/// need no list of free ones. In columns of its own each vertex would take 48 bytes for it; a sixth has a row.
struct ExtraRow {
  std::array<ListHeader, 2> relations;  ///< from, to
  std::atomic<std::uint32_t> state_head;
  std::atomic<std::uint32_t> revision_head;
  std::atomic<std::uint32_t> hidden;  ///< transaction that deleted it, or `never_hidden`
  std::atomic<std::uint32_t> gone;    ///< `GoneContents`; relaxed: bytes that are gone are gone for all

  /// What a vertex without a row has. The lists hold no blocks.
  void clear() noexcept {
    for (auto& header : relations) {
      header.count.store(0, std::memory_order_relaxed);
      header.newest.store(0, std::memory_order_relaxed);
    }
    state_head.store(no_state, std::memory_order_relaxed);
    revision_head.store(no_revision, std::memory_order_relaxed);
    hidden.store(never_hidden, std::memory_order_relaxed);
    gone.store(0, std::memory_order_relaxed);
  }
};

/// What new snapshots start from.
struct Published {
  std::uint32_t tx = 0;
  std::shared_ptr<Epoch> epoch = {};
};

/// A value behind its mutex.
template <class T>
class Guarded {
 public:
  [[nodiscard]] T copy() const {
    std::scoped_lock const lock{mutex_};
    return value_;
  }
  /// Sets the value; the old one is destroyed outside the lock.
  void set(T value) {
    std::scoped_lock const lock{mutex_};
    std::swap(value_, value);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

/// Columns by vertex, edge, transaction and type. Element i of a column may be read by a thread that sees i.
struct Storage {
  Storage();
  ~Storage();
  Storage(Storage const&) = delete;
  Storage& operator=(Storage const&) = delete;

  /// The headers of the causes or effects of all vertices.
  [[nodiscard]] ChunkedArray<ListHeader>& lists(ListKind kind) noexcept {
    return influence_headers[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] ChunkedArray<ListHeader> const& lists(ListKind kind) const noexcept {
    return influence_headers[static_cast<std::size_t>(kind)];
  }
  /// What a snapshot of `edges_seen` edges sees of a list of `vertex`, deleted neighbours included.
  [[nodiscard]] ListView visible_list(ListKind kind, std::uint32_t vertex, std::uint32_t edges_seen) const noexcept {
    if (is_influence(kind)) return visible(lists(kind)[vertex], edges_seen);
    auto const* const extra = extra_of(vertex);
    return extra == nullptr ? ListView{} : visible(extra->relations[relation_place(kind)], edges_seen);
  }
  /// Null where `vertex` never needed a row.
  [[nodiscard]] ExtraRow* extra_of(std::uint32_t vertex) noexcept {
    auto const place = extra_places[vertex].load(std::memory_order_acquire);
    return place == 0 ? nullptr : &extras[place - 1];
  }
  [[nodiscard]] ExtraRow const* extra_of(std::uint32_t vertex) const noexcept {
    auto const place = extra_places[vertex].load(std::memory_order_acquire);
    return place == 0 ? nullptr : &extras[place - 1];
  }
  /// Whether `bytes` lie in `image`: then they are never freed.
  [[nodiscard]] bool is_in_image(std::byte const* bytes) const noexcept {
    return image && std::less_equal<>{}(image->bytes().data(), bytes) &&
           std::less<>{}(bytes, image->bytes().data() + image->bytes().size());
  }
  [[nodiscard]] std::string_view id_at(std::uint32_t vertex) const noexcept;
  /// `no_value` where the type carries no weights or the edge has none.
  [[nodiscard]] double carried_weight(std::uint32_t edge) const noexcept {
    return multiplies[static_cast<std::size_t>(edge_types[edge])] ? edge_values[edge] : no_value;
  }
  [[nodiscard]] double path_weight(std::uint32_t edge) const noexcept {
    auto const weight = carried_weight(edge);
    return std::isnan(weight) ? 1.0 : weight;
  }

  /// Whether `vertex` is deleted at `tx`. Without any deletion the column is not touched.
  [[nodiscard]] bool is_hidden(std::uint32_t vertex, std::uint32_t tx) const noexcept {
    return has_hidden.load(std::memory_order_relaxed) && hidden_at(vertex) <= tx;
  }
  /// The transaction that deleted `vertex`, published or not, or `never_hidden`.
  [[nodiscard]] std::uint32_t hidden_at(std::uint32_t vertex) const noexcept {
    auto const* const extra = extra_of(vertex);
    return extra == nullptr ? never_hidden : extra->hidden.load(std::memory_order_relaxed);
  }
  /// The row of the latest state of `vertex`, published or not.
  [[nodiscard]] std::uint32_t state_head(std::uint32_t vertex) const noexcept {
    auto const* const extra = extra_of(vertex);
    return extra == nullptr ? no_state : extra->state_head.load(std::memory_order_acquire);
  }
  /// The row of the state of `vertex` at `tx`.
  [[nodiscard]] std::uint32_t state_at(std::uint32_t vertex, std::uint32_t tx) const noexcept {
    auto row = state_head(vertex);
    while (row != no_state && states[row].tx > tx) row = states[row].previous;
    return row;
  }
  /// The row of the latest content of `vertex` at `tx`; `no_revision` where that is its first.
  [[nodiscard]] std::uint32_t revision_at(std::uint32_t vertex, std::uint32_t tx) const noexcept {
    auto const* const extra = extra_of(vertex);
    auto row = extra == nullptr ? no_revision : extra->revision_head.load(std::memory_order_acquire);
    while (row != no_revision && revisions[row].tx > tx) row = revisions[row].previous;
    return row;
  }

  /// How many of the first contents of `vertex` are gone, with the bit `GoneContents::purged`.
  [[nodiscard]] std::uint32_t gone_of(std::uint32_t vertex) const noexcept {
    if (!has_gone.load(std::memory_order_relaxed)) return 0;
    auto const* const extra = extra_of(vertex);
    return extra == nullptr ? 0 : extra->gone.load(std::memory_order_relaxed);
  }

  std::unique_ptr<ImageMemory> image;  ///< where the graph began as one; columns, lists and the id table may lie in it

  // By vertex.
  ChunkedArray<RecordType> types;
  ChunkedArray<std::uint32_t> created;
  ChunkedArray<VertexTime> times;
  ChunkedArray<char const*> ids;  ///< into the arena: two bytes of length, then the id
  std::array<ChunkedArray<ListHeader>, influence_kind_count> influence_headers;
  ChunkedArray<std::atomic<std::uint32_t>> extra_places;  ///< one more than the place in `extras`; 0: none

  ChunkedArray<ExtraRow> extras;

  // By edge.
  EdgeValues edge_values;
  ChunkedArray<EdgeType> edge_types;
  MonotoneList<std::uint64_t> edge_ranks;  ///< of the few edges that have one: number in the high half, rank in the low

  ChunkedArray<TxRow> transactions;
  ChunkedArray<StateRow> states;
  ChunkedArray<RevisionRow> revisions;

  std::atomic<bool> has_gone = false;  ///< some contents are gone

  std::array<MonotoneList<std::uint32_t>, schema::record_type_count> vertices_by_type;
  std::array<RunningCount, schema::record_type_count> hidden_vertices;
  std::array<RunningCount, schema::edge_type_count> edges_made;
  std::array<RunningCount, schema::edge_type_count> hidden_edges;  ///< with a deleted end

  std::atomic<bool> has_hidden = false;  ///< something was deleted at some time, perhaps taken back

  HashKey hash_key;
  std::atomic<IdTable*> id_table;                        ///< owned
  std::array<bool, schema::edge_type_count> multiplies;  ///< whether a type's value multiplies along paths

  Guarded<Published> published;
  std::uint32_t vertices_made = 0;  ///< writer only: headers below are live, for destruction
  std::uint32_t extras_made = 0;    ///< writer only: rows below were given to vertices

  std::atomic<std::uint64_t> gone_changes = 0;  ///< how often contents of a vertex went, since the start

  // For `Graph::memory`; all but blocks as of the last publication.
  std::atomic<std::uint64_t> block_bytes = 0;
  std::atomic<std::uint64_t> id_bytes = 0;
  std::atomic<std::uint64_t> other_values = 0;
  std::atomic<std::uint64_t> extra_rows = 0;
  std::atomic<std::uint64_t> state_rows = 0;
  std::atomic<std::uint64_t> revision_rows = 0;
};

}  // namespace whence::graph::impl
