// Order within a transaction: deletions and what is current again by them, all vertices, all edges in record order, the
// revisions, then the consequences in record order, then the deprecations. Consequences wait for the last edge because
// a feedback may precede what it rates.

#include "engine/writer/apply.hpp"

#include "graph/snapshot/ratings.hpp"
#include "graph/snapshot/version_line.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <cassert>

namespace whence::engine {
namespace {

using graph::StateCause;
using graph::UnitState;
using graph::UnitStatus;
using schema::EdgeType;
using schema::VertexId;

/// An edge that changes the state of units: a feedback's `EVALUATES` with a score, or a version's `DERIVED_FROM`.
struct Consequence {
  EdgeType type;
  VertexId other;
  double value;
};

bool has_consequence(store::RowEdge const& edge) {
  return edge.value && (edge.type == EdgeType::evaluates || edge.type == EdgeType::derived_from);
}

void add_vertices(graph::Graph& graph, std::span<store::VertexRow const> rows) {
  for (auto const& row : rows) {
    [[maybe_unused]] auto const vertex = graph.add_vertex(row.type, row.id, row.time);
    assert(vertex == row.vertex);
  }
}

void add_edge(graph::Graph& graph, VertexId owner, store::RowEdge const& edge) {
  auto const from = edge.owner_is_from ? owner : edge.other;
  auto const to = edge.owner_is_from ? edge.other : owner;
  graph.add_edge(edge.type, from, to, edge.value, edge.rank);
}

void add_revisions(graph::Graph& graph, std::span<store::RevisionRow const> revisions) {
  for (auto const& revision : revisions) {
    [[maybe_unused]] auto const number = graph.revise(revision.vertex, revision.kind);
    assert(number == revision.revision);
    for (auto const& edge : revision.edges) add_edge(graph, revision.vertex, edge);
  }
}

std::vector<Consequence> add_edges(graph::Graph& graph, std::span<store::VertexRow const> rows) {
  std::vector<Consequence> consequences;
  for (auto const& row : rows) {
    // Nearly every edge of such a record leads to one of its causes.
    if (row.type == schema::RecordType::response || row.type == schema::RecordType::context_unit) {
      graph.reserve_causes(row.vertex, static_cast<std::uint32_t>(row.edges.size()));
    }
    for (auto const& edge : row.edges) {
      add_edge(graph, row.vertex, edge);
      if (has_consequence(edge)) consequences.push_back({edge.type, edge.other, edge.value.value()});
    }
  }
  return consequences;
}

void mark_updated(graph::Graph& graph, VertexId unit) {
  auto state = graph.pending().state(unit);
  if (state.status == UnitStatus::deprecated) return;  // final, and wins over `updated`
  state.status = UnitStatus::updated;
  graph.set_state(unit, StateCause::updated, state);
}

/// The unit whose later versions are all deleted now is the current one again.
void mark_current(graph::Graph& graph, VertexId deleted) {
  auto const known = graph.pending();
  if (known.type(deleted) != schema::RecordType::context_unit) return;
  auto const before = graph::living_before(known, deleted);
  if (!before) return;
  auto state = known.state(*before);
  if (state.status != UnitStatus::updated || graph::living_after(known, *before)) return;
  state.status = UnitStatus::active;
  graph.set_state(*before, StateCause::current, state);
}

/// The running score of a source (schema/records/README.md), in binary64 with exactly this formula.
void add_feedback(UnitState& state, double score, double weight) {
  double const old_count = state.count;
  state.score = (state.score * old_count + score * weight) / (old_count + 1);
  ++state.count;
}

/// Passes a feedback's score on to the sources of what it rates. Calls `scored(source, state)` after each.
template <class Scored>
void rate_sources(graph::Graph& graph, VertexId rated, double score, Scored& scored) {
  auto const snapshot = graph.pending();
  for (auto const& [source, part] : graph::rated_parts(snapshot, rated)) {
    auto state = snapshot.state(source);
    add_feedback(state, score, part);
    graph.set_state(source, StateCause::feedback, state);
    scored(source, state);
  }
}

template <class Scored>
void apply_rows(graph::Graph& graph, Transaction const& transaction, Scored scored) {
  graph.begin(transaction.tx, transaction.at);
  for (auto const vertex : transaction.hidden) graph.hide(vertex);
  for (auto const vertex : transaction.hidden) mark_current(graph, vertex);
  add_vertices(graph, transaction.rows);
  auto const consequences = add_edges(graph, transaction.rows);
  add_revisions(graph, transaction.revisions);
  for (auto const& consequence : consequences) {
    if (consequence.type == EdgeType::evaluates) {
      rate_sources(graph, consequence.other, consequence.value, scored);
    } else {
      mark_updated(graph, consequence.other);
    }
  }
}

void forget_contents(graph::Graph& graph, Transaction const& transaction) {
  for (auto const vertex : transaction.expired) graph.forget_contents(vertex, graph::GoneWhy::expired);
  for (auto const vertex : transaction.purged) graph.forget_contents(vertex, graph::GoneWhy::purged);
}

void deprecate(graph::Graph& graph, std::span<VertexId const> units) {
  for (auto const unit : units) {
    auto state = graph.pending().state(unit);
    state.status = UnitStatus::deprecated;
    graph.set_state(unit, StateCause::deprecated, state);
  }
}

}  // namespace

std::vector<VertexId> apply(graph::Graph& graph, Transaction const& transaction, double deprecate_below) {
  std::vector<VertexId> fallen;
  apply_rows(graph, transaction, [&](VertexId unit, UnitState const& state) {
    if (state.score < deprecate_below && state.status != UnitStatus::deprecated &&
        std::find(fallen.begin(), fallen.end(), unit) == fallen.end()) {
      fallen.push_back(unit);
    }
  });
  deprecate(graph, fallen);
  forget_contents(graph, transaction);
  graph.end();
  return fallen;
}

void apply_logged(graph::Graph& graph, Transaction const& transaction, std::span<VertexId const> deprecated) {
  apply_rows(graph, transaction, [](VertexId, UnitState const&) {});
  deprecate(graph, deprecated);
  forget_contents(graph, transaction);
  graph.end();
}

void apply_logged(graph::Graph& graph, store::ReplayedCommit const& commit) {
  apply_logged(graph,
               {.tx = commit.tx,
                .at = commit.at,
                .rows = commit.rows,
                .revisions = commit.revisions,
                .hidden = commit.hidden,
                .expired = commit.expired,
                .purged = commit.purged},
               commit.deprecated);
}

}  // namespace whence::engine
