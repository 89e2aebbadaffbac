#pragma once
// The values that a snapshot returns: neighbours, edges, states of context units, revisions.

#include "schema/base/ids.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace whence::graph {

using schema::EdgeId;
using schema::EdgeType;
using schema::RecordType;
using schema::RevisionKind;
using schema::TxId;
using schema::VertexId;

/// The neighbours of a vertex in one direction: parallel views, in order of commit. Valid while both the snapshot and
/// this live.
struct Neighbours {
  std::span<VertexId const> vertices;
  std::span<EdgeId const> edges;
  /// What the views point into where deleted neighbours had to be left out; else null.
  std::shared_ptr<void const> kept = {};

  [[nodiscard]] std::size_t size() const noexcept { return vertices.size(); }
  [[nodiscard]] bool empty() const noexcept { return vertices.empty(); }
};

/// One edge, in its stored direction.
struct EdgeView {
  VertexId from;
  VertexId to;
  EdgeType type;
  TxId tx;
  std::optional<double> value;  ///< weight, version, score, ... as the edge table says; nothing where it carries none
};

/// The state of a context unit.
enum class UnitStatus : std::uint8_t { active = 0, updated = 1, deprecated = 2 };
constexpr std::array<std::string_view, 3> enum_names(UnitStatus) noexcept {
  return {"active", "updated", "deprecated"};
}

struct UnitState {
  UnitStatus status = UnitStatus::active;
  double score = 0;         ///< running aggregate score
  std::uint32_t count = 0;  ///< feedbacks in it

  friend bool operator==(UnitState const&, UnitState const&) = default;
};

/// Why a vertex has another state: that of a unit changed, or the contents of any went, which leaves it as it was.
/// `current`: the versions after a unit were deleted.
enum class StateCause : std::uint8_t { feedback, updated, deprecated, expired, purged, current };

[[nodiscard]] constexpr bool is_removal(StateCause cause) noexcept {
  return cause == StateCause::expired || cause == StateCause::purged;
}

struct StateChange {
  TxId tx;
  StateCause cause;
  UnitState state;  ///< as it was after the change

  friend bool operator==(StateChange const&, StateChange const&) = default;
};

/// Why the content of a node is gone.
enum class GoneWhy : std::uint8_t { expired, purged };

/// A content a vertex was given after its first.
struct Revision {
  TxId tx;
  std::uint32_t number;  ///< from 1
  RevisionKind kind;

  friend bool operator==(Revision const&, Revision const&) = default;
};

}  // namespace whence::graph
