#pragma once
// The params of a subscription that choose its events, and their members on the wire.

#include "graph/snapshot/delta.hpp"
#include "queries/view/params.hpp"
#include "schema/base/limits.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// The length of each list of a `Match`.
inline constexpr schema::Rule match_rule = schema::rules::items(1, 10'000);

/// An optional part of an event.
enum class EventPart : std::uint8_t { record, edges };
constexpr std::array<std::string_view, 2> enum_names(EventPart) noexcept {
  return {"record", "edges"};
}

/// The events that a subscription wants: every condition given must hold.
struct Match {
  std::optional<std::vector<schema::RecordType>> types = {};
  std::optional<std::vector<graph::EventOp>> ops = {};
  std::optional<std::vector<std::string>> topics = {};
  std::optional<std::vector<std::string>> agents = {};
  std::optional<std::vector<schema::EdgeType>> edge_types = {};
  std::optional<NodeRef> downstream_of = {};
  std::optional<NodeRef> upstream_of = {};
  std::optional<std::uint32_t> depth = {};  ///< edges from either ref; unbounded where left out

  friend auto operator<=>(Match const&, Match const&) = default;
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::Match> {
  using T = queries::Match;
  static constexpr auto fields = std::tuple{
      field("types", &T::types, Presence::optional, queries::match_rule, "Record types of the nodes."),
      field("ops", &T::ops, Presence::optional, queries::match_rule, "What happened to them."),
      field("topics", &T::topics, Presence::optional, queries::match_rule,
            "Ids of topics: the Topic itself and records that name it."),
      field("agents", &T::agents, Presence::optional, queries::match_rule, "Agents of Responses."),
      field("edge_types", &T::edge_types, Presence::optional, queries::match_rule,
            "Only changes that brought an edge of one of these types."),
      field("downstream_of", &T::downstream_of, Presence::optional, rules::any(),
            "Only descendants of this node, as the graph grows."),
      field("upstream_of", &T::upstream_of, Presence::optional, rules::any(),
            "Only ancestors of this node, as the graph grows."),
      field("depth", &T::depth, Presence::optional, rules::number(1, limits::int32_max),
            "Edges from either node; unbounded where left out. Only with one of them."),
  };
};

}  // namespace whence::schema
