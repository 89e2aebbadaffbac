// The order of events. A batch's records are its rows in order, with two exceptions: records derived from responses
// have their rows at the end, and revisions are stored apart, each with the number of rows before it. Both get their
// place here.

#include "engine/writer/delta.hpp"

#include "graph/snapshot/ratings.hpp"
#include "graph/snapshot/version_line.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace whence::engine {
namespace {

using graph::Delta;
using graph::DeltaEdge;
using graph::DeltaEvent;
using graph::EventOp;
using graph::Snapshot;
using graph::UnitStatus;
using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;
using store::RevisionRow;
using store::RowEdge;
using store::VertexRow;

/// The place of an event: at a row of the transaction, and there before it, as it, or after it. Consequences of one row
/// are ordered by ref; revisions before one row keep their order.
struct EventPlace {
  enum class Side : std::uint8_t { before, itself, consequence };
  std::size_t row;
  Side side;
  std::string ref = {};  ///< of a consequence
  std::size_t order = 0;

  friend auto operator<=>(EventPlace const&, EventPlace const&) = default;
};

struct PlacedEvent {
  EventPlace place;
  DeltaEvent event;
};

bool is_version_edge(RowEdge const& edge) {
  return edge.owner_is_from && edge.value && schema::carried_by(edge.type) == schema::Carries::version;
}

class DeltaMaker {
 public:
  DeltaMaker(store::ReplayedCommit const& commit, Snapshot const& head)
      : commit_(commit), after_(head.as_of(commit.tx)), before_(head.as_of(schema::TxId{number(commit.tx) - 1})) {
    delta_.tx = commit.tx;
    delta_.vertices_before = before_.vertex_count();
    next_edge_ = number(schema::EdgeId{static_cast<std::uint32_t>(before_.edge_count())});
  }

  Delta make() {
    add_removals();
    add_current();
    add_removed_contents();
    add_rows();
    add_revisions();
    add_updated();
    add_deprecated();
    if (!is_in_order_) std::ranges::stable_sort(placed_, {}, &PlacedEvent::place);
    for (auto const& placed : placed_) delta_.events.push_back(placed.event);
    return std::move(delta_);
  }

 private:
  [[nodiscard]] std::string ref(VertexId vertex) const {
    return schema::format_ref(after_.type(vertex), after_.id(vertex));
  }

  void add_removals() {
    for (auto const vertex : commit_.hidden) delta_.events.push_back({.op = EventOp::remove, .vertex = vertex});
  }

  /// Units that are the current version again, in the order of the deletions.
  void add_current() {
    for (auto const vertex : commit_.hidden) {
      if (after_.type(vertex) != RecordType::context_unit) continue;
      auto const before = graph::living_before(after_, vertex);
      if (!before || after_.state(*before).status != UnitStatus::active) continue;
      if (before_.state(*before).status != UnitStatus::updated) continue;
      auto const is_it = [&](DeltaEvent const& each) { return each.vertex == *before; };
      if (std::ranges::any_of(delta_.events, is_it)) continue;
      delta_.events.push_back({.op = EventOp::status, .vertex = *before});
    }
  }

  /// Before all records: a record may get another content in place of those that went.
  void add_removed_contents() {
    auto const add = [&](std::span<VertexId const> vertices, bool is_purged) {
      for (auto const vertex : vertices) {
        delta_.events.push_back({.op = EventOp::expire, .vertex = vertex, .is_purged = is_purged});
      }
    };
    add(commit_.expired, false);
    add(commit_.purged, true);
  }

  /// The row that `vertex` got in this transaction.
  [[nodiscard]] std::optional<std::size_t> row_of(VertexId vertex) const {
    if (number(vertex) < delta_.vertices_before) return std::nullopt;
    return number(vertex) - delta_.vertices_before;
  }

  /// The row of the first attachment of this transaction that a record was derived from. Rows of derived records end
  /// the transaction.
  [[nodiscard]] std::optional<std::size_t> source_of(RecordType type, std::span<RowEdge const> edges) const {
    if (!schema::info(type).is_extracted) return std::nullopt;
    std::optional<std::size_t> first;
    for (auto const& edge : edges) {
      auto const row = edge.type == EdgeType::extracted_from ? row_of(edge.other) : std::nullopt;
      if (row && (!first || *row < *first)) first = row;
    }
    return first;
  }

  void add_edges(VertexId owner, std::span<RowEdge const> edges, DeltaEvent& event) {
    event.edges_begin = static_cast<std::uint32_t>(delta_.edges.size());
    for (auto const& edge : edges) {
      auto const from = edge.owner_is_from ? owner : edge.other;
      auto const to = edge.owner_is_from ? edge.other : owner;
      delta_.edges.push_back({from, to, schema::EdgeId{next_edge_++}});
    }
    event.edges_end = static_cast<std::uint32_t>(delta_.edges.size());
  }

  void place(EventPlace place, DeltaEvent const& event) {
    is_in_order_ = is_in_order_ && (placed_.empty() || placed_.back().place <= place);
    placed_.push_back({std::move(place), event});
  }

  void add_rows() {
    auto const derived_begin = first_derived();
    for (std::size_t i = 0; i < commit_.rows.size(); ++i) {
      auto const& row = commit_.rows[i];
      bool const has_predecessor = std::ranges::any_of(row.edges, is_version_edge);
      DeltaEvent event{.op = has_predecessor ? EventOp::version : EventOp::put, .vertex = row.vertex};
      add_edges(row.vertex, row.edges, event);
      if (i < derived_begin) {
        place({i, EventPlace::Side::itself}, event);
      } else {
        place({*source_of(row.type, row.edges), EventPlace::Side::consequence, ref(row.vertex)}, event);
      }
    }
  }

  /// The first of the rows that were derived from responses.
  [[nodiscard]] std::size_t first_derived() const {
    auto first = commit_.rows.size();
    while (first > 0) {
      auto const& row = commit_.rows[first - 1];
      auto const source = source_of(row.type, row.edges);
      if (!source || *source >= first - 1) break;
      --first;
    }
    return first;
  }

  /// A vertex that this transaction put, or revised before, keeps its one event, which gains the edges.
  void add_revisions() {
    for (std::size_t i = 0; i < commit_.revisions.size(); ++i) {
      auto const& row = commit_.revisions[i];
      if (row.type == RecordType::system_prompt_template) {
        // Becoming active is an update: by a record, or since later versions were deleted.
        bool const is_active_again = row.kind == schema::RevisionKind::update && !commit_.hidden.empty();
        if (is_active_again || row.kind == schema::RevisionKind::whole) {
          place(place_of(row, i), {.op = EventOp::status, .vertex = row.vertex, .is_active = is_active_again});
          continue;
        }
      }
      if (auto* const event = find_event(row.vertex)) {
        join_edges(row, *event);
        continue;
      }
      DeltaEvent event{.op = EventOp::version, .vertex = row.vertex};
      add_edges(row.vertex, row.edges, event);
      revised_.emplace(number(row.vertex), placed_.size());
      place(place_of(row, i), event);
    }
  }

  [[nodiscard]] EventPlace place_of(RevisionRow const& row, std::size_t order) const {
    if (auto const source = source_of(row.type, row.edges)) {
      return {*source, EventPlace::Side::consequence, ref(row.vertex)};
    }
    auto const before = std::min<std::size_t>(row.rows_before, commit_.rows.size());
    return {before, EventPlace::Side::before, {}, order};
  }

  /// The rows' events come first in `placed_`, in order.
  [[nodiscard]] DeltaEvent* find_event(VertexId vertex) {
    if (auto const row = row_of(vertex)) return &placed_[*row].event;
    auto const found = revised_.find(number(vertex));
    return found == revised_.end() ? nullptr : &placed_[found->second].event;
  }

  /// Moves the event's edges to the end of all, where there is room for more.
  void join_edges(RevisionRow const& row, DeltaEvent& event) {
    if (row.edges.empty()) return;
    std::vector<DeltaEdge> const own(delta_.edges.begin() + event.edges_begin, delta_.edges.begin() + event.edges_end);
    DeltaEvent joined = event;
    add_edges(row.vertex, row.edges, joined);
    delta_.edges.insert(delta_.edges.begin() + joined.edges_begin, own.begin(), own.end());
    event.edges_begin = joined.edges_begin;
    event.edges_end = static_cast<std::uint32_t>(delta_.edges.size());
  }

  /// Units whose next version this transaction brought, unless they are deprecated.
  void add_updated() {
    for (std::size_t i = 0; i < commit_.rows.size(); ++i) {
      if (commit_.rows[i].type != RecordType::context_unit) continue;
      for (auto const& edge : commit_.rows[i].edges) {
        if (is_version_edge(edge)) add_status(edge.other, UnitStatus::updated, i);
      }
    }
  }

  /// Units whose score fell too low, each after the last feedback that counted.
  void add_deprecated() {
    if (commit_.deprecated.empty()) return;
    std::unordered_map<std::uint32_t, std::size_t> last_feedback;  // row by unit
    for (std::size_t i = 0; i < commit_.rows.size(); ++i) {
      for (auto const& edge : commit_.rows[i].edges) {
        if (edge.type != EdgeType::evaluates || !edge.value) continue;
        for (auto const& part : graph::rated_parts(after_, edge.other)) last_feedback[number(part.source)] = i;
      }
    }
    for (auto const unit : commit_.deprecated) {
      auto const row = last_feedback.find(number(unit));
      if (row != last_feedback.end()) add_status(unit, UnitStatus::deprecated, row->second);
    }
  }

  void add_status(VertexId unit, UnitStatus status, std::size_t row) {
    if (after_.state(unit).status != status) return;
    bool const was_there = number(unit) < delta_.vertices_before;
    if (was_there && before_.state(unit).status == status) return;
    place({row, EventPlace::Side::consequence, ref(unit)},
          {.op = EventOp::status, .vertex = unit, .has_score = status == UnitStatus::deprecated});
  }

  store::ReplayedCommit const& commit_;
  Snapshot after_;
  Snapshot before_;
  Delta delta_;
  std::uint32_t next_edge_;
  std::vector<PlacedEvent> placed_;                         // rows first, then the rest as it is found
  std::unordered_map<std::uint32_t, std::size_t> revised_;  // place in `placed_` by vertex
  bool is_in_order_ = true;
};

}  // namespace

Delta delta_of(store::ReplayedCommit const& commit, Snapshot const& head) {
  return DeltaMaker(commit, head).make();
}

}  // namespace whence::engine
