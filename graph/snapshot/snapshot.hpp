#pragma once
// What readers see of the graph: everything up to one transaction, unchanging, without locks.

#include "graph/storage/values.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::graph {

struct Epoch;  // graph/storage: keeps replaced storage alive while a snapshot may read it
namespace impl {
struct Access;
struct Storage;
}  // namespace impl

/// The graph as of one transaction. A cheap value (two pointers and three numbers); any number of threads may read
/// any snapshots while the writer appends. Vertex arguments must be contained in this snapshot; a deleted one has no
/// neighbours but those of `*_ever`, and otherwise keeps its last state.
///
/// Invariants: 1. equal transaction ids of one graph give equal answers for ever, but for `gone`. 2. vertices are
/// 0..vertex_count()-1, deleted ones included; no answer but those of `*deleted*` and `*_ever` shows a deleted one. 3.
/// every neighbour of a visible vertex is visible.
class Snapshot {
 public:
  [[nodiscard]] TxId tx() const noexcept { return tx_; }
  /// When `tx()` was committed; the epoch's start for transaction 0.
  [[nodiscard]] schema::Time at() const;
  /// Numbers given so far, those of deleted vertices and their edges included.
  [[nodiscard]] std::uint32_t vertex_count() const noexcept { return vertex_count_; }
  [[nodiscard]] std::uint64_t edge_count() const noexcept { return edge_count_; }
  /// What is visible of one type. O(log transactions).
  [[nodiscard]] std::uint64_t vertex_count(RecordType type) const;
  [[nodiscard]] std::uint64_t edge_count(EdgeType type) const;  ///< with those of the type's relation variant
  /// Whether the number is given, to a deleted vertex too.
  [[nodiscard]] bool contains(VertexId v) const noexcept { return schema::number(v) < vertex_count_; }

  /// The visible vertex known as `type:id`. O(1) expected, but for ids deleted and written again many times.
  [[nodiscard]] std::optional<VertexId> find(RecordType type, std::string_view id) const;
  /// The same for who knows `hash_of(type, id)`.
  [[nodiscard]] std::optional<VertexId> find(RecordType type, std::string_view id, std::uint64_t hash) const;
  /// The hash by which ids are found, under a key that is random and the same for all snapshots of a graph.
  [[nodiscard]] std::uint64_t hash_of(RecordType type, std::string_view id) const noexcept;
  /// The vertex last known as `type:id`, where it is deleted and none has the id now.
  [[nodiscard]] std::optional<VertexId> find_deleted(RecordType type, std::string_view id) const;
  /// Every vertex that is or was known as `type:id`, in order of commit: all but the last are deleted.
  [[nodiscard]] std::vector<VertexId> find_all_ever(RecordType type, std::string_view id) const;
  [[nodiscard]] bool is_deleted(VertexId v) const noexcept;
  /// The transaction that deleted `v`; nothing where it is visible.
  [[nodiscard]] std::optional<TxId> deleted_at(VertexId v) const noexcept;
  /// Deleted vertices of one type in order of commit. O(vertices of the type).
  [[nodiscard]] std::vector<VertexId> deleted_vertices(RecordType type) const;

  [[nodiscard]] RecordType type(VertexId v) const noexcept;
  [[nodiscard]] std::string_view id(VertexId v) const noexcept;               ///< valid as long as the graph
  [[nodiscard]] std::optional<schema::Time> time(VertexId v) const noexcept;  ///< the record's own time
  [[nodiscard]] TxId created(VertexId v) const noexcept;
  /// Visible vertices of one type in order of commit. O(vertices of the type).
  [[nodiscard]] std::vector<VertexId> vertices(RecordType type) const;

  // Influence: what a vertex was made from, what was made from it.
  [[nodiscard]] Neighbours causes(VertexId v) const;
  [[nodiscard]] Neighbours effects(VertexId v) const;

  // Edges without influence, in their stored direction (a feedback evaluates a response, a message is part of a topic).
  [[nodiscard]] Neighbours relations_from(VertexId v) const;  ///< edges stored as from `v`
  [[nodiscard]] Neighbours relations_to(VertexId v) const;    ///< edges stored as to `v`

  // The same with deleted neighbours, also around a deleted vertex, to find references that dangle.
  [[nodiscard]] Neighbours causes_ever(VertexId v) const;
  [[nodiscard]] Neighbours effects_ever(VertexId v) const;
  [[nodiscard]] Neighbours relations_from_ever(VertexId v) const;
  [[nodiscard]] Neighbours relations_to_ever(VertexId v) const;

  /// Which stored contents make up the record of `v` in this snapshot, oldest first, to be folded: revision 0 alone for
  /// what never changed. O(revisions since, plus the answer).
  [[nodiscard]] std::vector<std::uint32_t> contents(VertexId v) const;
  /// How many contents were stored for it up to this snapshot. O(revisions since).
  [[nodiscard]] std::uint32_t contents_count(VertexId v) const noexcept;
  /// All its revisions up to this snapshot, oldest first. Not revision 0.
  [[nodiscard]] std::vector<Revision> revisions(VertexId v) const;

  /// Why nothing is left of what `v` says in this snapshot; nothing where a content is there. Unlike all else it is the
  /// same for snapshots taken before the content went. O(revisions since).
  [[nodiscard]] std::optional<GoneWhy> gone(VertexId v) const noexcept;

  [[nodiscard]] EdgeType type(EdgeId e) const noexcept;
  /// What multiplies along a path: the weight where the type carries one, else 1. A plain read.
  [[nodiscard]] double path_weight(EdgeId e) const noexcept;
  [[nodiscard]] std::optional<double> value(EdgeId e) const noexcept;
  /// The rank beside the value, from 1; 0 where the edge has none. O(log ranked edges).
  [[nodiscard]] std::uint32_t rank(EdgeId e) const noexcept;
  [[nodiscard]] TxId tx(EdgeId e) const noexcept;  ///< O(log transactions)
  /// The edge in its stored direction, found by its two ends: cause and effect, or the ends of a relation as stored.
  [[nodiscard]] EdgeView edge(VertexId cause_or_from, VertexId effect_or_to, EdgeId e) const noexcept;

  /// A context unit's state as of this snapshot; the default for anything else. O(changes since).
  [[nodiscard]] UnitState state(VertexId v) const;
  /// All its changes up to this snapshot, oldest first.
  [[nodiscard]] std::vector<StateChange> state_changes(VertexId v) const;

  /// The same graph at an earlier (or this) transaction; `tx` must not be above `tx()`.
  [[nodiscard]] Snapshot as_of(TxId tx) const;
  /// Whether `as_of` made it of a later moment.
  [[nodiscard]] bool is_earlier() const noexcept { return is_earlier_; }
  /// The same moment for who may not know which texts were purged: an XMLMessageAttachment whose content is purged is
  /// not there, no more than one that never was. Its id is a digest of the text, so that an answer about it would tell
  /// a guess of the text from any other. `as_of` keeps this. Counts by type still have it.
  [[nodiscard]] Snapshot hiding_purged_texts() const;
  /// The last transaction committed at or before `time`, 0 if none; never above `tx()`. O(log transactions).
  [[nodiscard]] TxId last_tx_at(schema::Time time) const;
  /// When transaction `tx` was committed.
  [[nodiscard]] schema::Time committed_at(TxId tx) const;

 private:
  friend struct impl::Access;
  [[nodiscard]] bool is_hidden(VertexId v) const noexcept;
  [[nodiscard]] Neighbours without_hidden(Neighbours all) const;
  Snapshot(impl::Storage const& storage, std::shared_ptr<Epoch const> epoch, std::uint32_t tx,
           std::uint32_t vertex_count, std::uint32_t edge_count);

  impl::Storage const* storage_;
  std::shared_ptr<Epoch const> epoch_;
  TxId tx_;
  std::uint32_t vertex_count_;
  std::uint32_t edge_count_;
  bool hides_purged_texts_ = false;
  bool is_earlier_ = false;
};

}  // namespace whence::graph
