#pragma once
// The events of one transaction, and which of them a subscription wants.

#include "graph/snapshot/delta.hpp"
#include "queries/live/match.hpp"
#include "queries/live/standing.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::queries {

/// The parts of events besides `tx`, `prev`, `at`, `op` and `ref`.
struct EventParts {
  bool has_record = false;
  bool has_edges = false;

  EventParts& operator|=(EventParts const& other) noexcept {
    has_record = has_record || other.has_record;
    has_edges = has_edges || other.has_edges;
    return *this;
  }
};

[[nodiscard]] EventParts parts_of(std::vector<EventPart> const& include) noexcept;

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
  /// The delta's events, then those of nodes that entered a walk.
  [[nodiscard]] std::size_t size() const noexcept { return delta_.events.size() + entered_.size(); }
  [[nodiscard]] bool is_entered(std::size_t event) const noexcept { return event >= delta_.events.size(); }
  [[nodiscard]] graph::DeltaEvent event(std::size_t event) const noexcept;

  /// The values of a record that conditions compare; empty where it has none.
  struct Facts {
    std::string topic = {};
    std::string agent = {};
  };
  /// Those of each event that is known at the call. Fails with `corrupt`.
  [[nodiscard]] Result<std::span<Facts const>> facts();

  /// The positions of the events that `match` wants, in order. `walks` are those it asks for, advanced to this
  /// transaction. Nodes that came into all of them by this transaction and have no `put` or `version` in it follow its
  /// own events. Fails with `corrupt`.
  [[nodiscard]] Result<std::vector<std::uint32_t>> select(Match const& match, std::span<Standing const* const> walks);

 private:
  [[nodiscard]] Result<void> read_facts();
  [[nodiscard]] Facts facts_of_topic(std::size_t event) const;
  [[nodiscard]] bool wants(Match const& match, std::size_t event) const;
  [[nodiscard]] bool brings_edge(std::vector<schema::EdgeType> const& types, graph::DeltaEvent const& event) const;
  [[nodiscard]] std::vector<VertexId> newly_in(std::span<Standing const* const> walks) const;
  [[nodiscard]] std::uint32_t position_of_entered(VertexId vertex);

  View view_;
  graph::Delta delta_;
  bool is_snapshot_ = false;
  std::vector<VertexId> entered_ = {};
  std::unordered_map<std::uint32_t, std::uint32_t> entered_positions_ = {};  // by vertex
  std::vector<Facts> facts_ = {};                                            // of the first events, as far as read
};

}  // namespace whence::queries
