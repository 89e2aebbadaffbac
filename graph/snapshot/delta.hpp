#pragma once
// The changes of one transaction, as events in the order in which live updates send them.

#include "graph/snapshot/snapshot.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace whence::graph {

/// What happened to a node.
enum class EventOp : std::uint8_t {
  put,      ///< its first record
  version,  ///< a first record that has a predecessor, or a further content
  status,   ///< a unit was updated, deprecated or is current again, a template became inactive or active again
  remove,   ///< it was deleted
  expire,   ///< its content is gone, it stays in the graph
  changed,  ///< of no delta: something else is at its place since, found for those who ask
            ///< (queries/live/events.hpp)
};

/// As events and requests spell it.
constexpr std::array<std::string_view, 6> enum_names(EventOp) noexcept {
  return {"put", "version", "status", "delete", "expire", "changed"};
}

/// A new edge, in its stored direction.
struct DeltaEdge {
  VertexId from;
  VertexId to;
  EdgeId edge;
};

struct DeltaEvent {
  EventOp op;
  VertexId vertex;
  bool has_score = false;         ///< of a `status` that a score caused
  bool is_purged = false;         ///< of an `expire`: somebody asked for it
  bool is_active = false;         ///< of the `status` of a template: it is active again
  std::uint32_t edges_begin = 0;  ///< its edges in `Delta::edges`
  std::uint32_t edges_end = 0;
};

/// One transaction. Its events are in the order of its batch, deletions first, then versions that are current again
/// since those after them were deleted, then contents that go. After each record
/// come its consequences (the records derived from it, the units whose status it changed, the nodes deleted with it) in
/// byte order of ref. Invariants: 0. an `expire` precedes the `version` that gives the same node another content. 1. a
/// vertex has at most one `put` or `version`, at most one `status`, and only one event if it was deleted. 2. every edge
/// of the transaction belongs to exactly one event, a `put` or a `version`; `edges` may hold copies that belong to
/// none.
struct Delta {
  TxId tx{0};
  std::uint32_t vertices_before = 0;  ///< vertices from this number on are new
  std::vector<DeltaEvent> events = {};
  std::vector<DeltaEdge> edges = {};

  [[nodiscard]] std::span<DeltaEdge const> edges_of(DeltaEvent const& event) const noexcept {
    return std::span{edges}.subspan(event.edges_begin, event.edges_end - event.edges_begin);
  }
};

}  // namespace whence::graph
