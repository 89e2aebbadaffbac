#pragma once
// The events of one transaction, and which of them a subscription wants.

#include "graph/snapshot/delta.hpp"
#include "queries/live/match.hpp"
#include "queries/live/standing.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::queries {

/// The parts of events besides `tx`, `prev`, `at`, `op` and `ref`.
struct EventParts {
  bool has_record = false;
  bool has_edges = false;
  /// Only what is the same at every later moment: no mark that a content is gone by now, and of edges nothing that
  /// records say.
  bool is_lasting = false;

  EventParts& operator|=(EventParts const& other) noexcept {
    has_record = has_record || other.has_record;
    has_edges = has_edges || other.has_edges;
    return *this;
  }
};

[[nodiscard]] EventParts parts_of(std::vector<EventPart> const& include) noexcept;

/// Whether a match asks for `changed`, which is looked for only then.
[[nodiscard]] bool wants_changed(Match const& match) noexcept;

/// The walks a match asks for: none, one or two.
[[nodiscard]] std::vector<WalkSpec> walks_of(Match const& match);

/// The events of one transaction, or the nodes of a snapshot as events. Topics and agents, which the graph does not
/// hold, are read from the records when they are first needed. One thread at a time.
class Events {
 public:
  /// `after` is the view at the delta's transaction.
  Events(View after, graph::Delta delta);
  /// The snapshot of a subscription: each node with the edges that came with it.
  Events(View at, std::span<VertexId const> nodes);

  [[nodiscard]] View const& view() const noexcept { return view_; }
  [[nodiscard]] graph::Delta const& delta() const noexcept { return delta_; }
  [[nodiscard]] bool is_snapshot() const noexcept { return is_snapshot_; }
  /// The delta's events, then those of nodes that entered a walk and those that say what changed.
  [[nodiscard]] std::size_t size() const noexcept { return delta_.events.size() + further_.size(); }
  [[nodiscard]] bool is_entered(std::size_t event) const noexcept {
    return event >= delta_.events.size() && event_at(event).op == graph::EventOp::put;
  }
  [[nodiscard]] graph::DeltaEvent event(std::size_t event) const noexcept { return event_at(event); }
  /// Of a `changed`: what is at its place.
  [[nodiscard]] std::optional<VertexId> newer(std::size_t event) const noexcept;

  /// The values of a record that conditions compare; empty where it has none.
  struct Facts {
    std::string topic = {};
    std::string agent = {};
  };
  /// Those of each event that is known at the call. Fails with `corrupt`.
  [[nodiscard]] Result<std::span<Facts const>> facts();

  /// The positions of the events that `match` wants, in order. `walks` are those it asks for, advanced to this
  /// transaction. Nodes that came into all of them by this transaction and have no `put` or `version` in it follow its
  /// own events; where `match.ops` has it, `changed` of chunks and documents at whose place something else was loaded
  /// follow those, by ref. Fails with `corrupt`.
  [[nodiscard]] Result<std::vector<std::uint32_t>> select(Match const& match, std::span<Standing const* const> walks);

 private:
  [[nodiscard]] Result<void> read_facts();
  [[nodiscard]] Facts facts_of_topic(std::size_t event) const;
  [[nodiscard]] bool wants(Match const& match, std::size_t event) const;
  [[nodiscard]] bool brings_edge(std::vector<schema::EdgeType> const& types, graph::DeltaEvent const& event) const;
  [[nodiscard]] std::vector<VertexId> newly_in(std::span<Standing const* const> walks) const;
  [[nodiscard]] std::uint32_t position_of_entered(VertexId vertex);
  [[nodiscard]] Result<void> find_changed();
  void find_loaded(std::vector<std::pair<VertexId, VertexId>>& changed) const;
  [[nodiscard]] Result<void> find_replaced(VertexId document, std::span<VertexId const> loaded,
                                           std::vector<std::pair<VertexId, VertexId>>& changed) const;
  [[nodiscard]] graph::DeltaEvent const& event_at(std::size_t event) const noexcept {
    auto const own = delta_.events.size();
    return event < own ? delta_.events[event] : further_[event - own].event;
  }

  struct Further {
    graph::DeltaEvent event;
    std::optional<VertexId> newer = {};
  };

  View view_;
  graph::Delta delta_;
  bool is_snapshot_ = false;
  std::vector<Further> further_ = {};
  std::optional<std::pair<std::uint32_t, std::uint32_t>> changed_ = {};  // their positions, once they were looked for
  std::unordered_map<std::uint32_t, std::uint32_t> entered_positions_ = {};  // by vertex
  std::vector<Facts> facts_ = {};                                            // of the first events, as far as read
};

}  // namespace whence::queries
