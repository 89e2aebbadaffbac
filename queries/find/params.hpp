#pragma once
// The params of `node.get`, `node.find`, `node.count`, `node.neighbors` and `node.activity`, and their members on the
// wire.

#include "queries/view/params.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/time.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// One operator of a `where`, with its operand(s) as JSON scalars in compact text.
struct Condition {
  enum class Op : std::uint8_t { eq, in, lt, lte, gt, gte, prefix, contains, has };
  std::string field = {};
  Op op;
  std::vector<std::string> operands = {};  ///< compact JSON text; one, but for `in`
  bool is_short = false;                   ///< given as the value alone, without the operator `eq`
};
constexpr std::array<std::string_view, 9> enum_names(Condition::Op) noexcept {
  return {"eq", "in", "lt", "lte", "gt", "gte", "prefix", "contains", "has"};
}

struct Order {
  std::string by = "id";
  bool desc = false;
};

struct NodeGetParams {
  std::optional<NodeRef> ref = {};
  std::optional<std::vector<NodeRef>> refs = {};
  std::vector<Include> include = {};
};

struct NodeFindParams {
  schema::RecordType type;
  std::vector<Condition> where = {};
  Order order;
  std::vector<Include> include = {};
};

struct NodeCountParams {
  schema::RecordType type;
  std::vector<Condition> where = {};
};

/// Of a name that somebody asks for: those of telemetry may be longer than an id.
inline constexpr std::size_t person_name_max = 65'536;

struct PersonParams {
  std::string person = {};
  std::vector<Include> include = {};
};

struct HoldListParams {
  bool all = false;
};

/// Which neighbours: along influence, or along the edges without it, towards what a node belongs to or towards its
/// parts.
enum class Side : std::uint8_t { causes, effects, wholes, parts };
constexpr std::array<std::string_view, 4> enum_names(Side) noexcept {
  return {"causes", "effects", "wholes", "parts"};
}

struct NodeNeighborsParams {
  NodeRef ref;
  Side side;
  std::optional<schema::EdgeTypeSet> edge_types = {};
  std::optional<schema::RecordType> type = {};
  std::vector<Condition> where = {};
  std::optional<Order> order = {};
  std::optional<std::string> group_by = {};
  std::vector<Include> include = {};
};

/// What makes a lane of `node.activity`.
enum class LaneBy : std::uint8_t { type, topic, agent };
constexpr std::array<std::string_view, 3> enum_names(LaneBy) noexcept {
  return {"type", "topic", "agent"};
}

/// A stretch of the calendar in UTC. Weeks begin on Monday.
enum class Period : std::uint8_t { hour, day, week, month, year };
constexpr std::array<std::string_view, 5> enum_names(Period) noexcept {
  return {"hour", "day", "week", "month", "year"};
}

inline constexpr std::array periods = {Period::hour, Period::day, Period::week, Period::month, Period::year};

struct NodeActivityParams {
  std::optional<schema::RecordTypeSet> types = {};
  LaneBy lanes = LaneBy::type;
  std::optional<Period> period = {};
  std::optional<schema::Time> from = {};
  std::optional<schema::Time> to = {};
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::Order> {
  using T = queries::Order;
  static constexpr auto fields = std::tuple{
      field("by", &T::by, Presence::optional, rules::any(),
            "A field of the type, or status, score, feedback_count, tx."),
      field("desc", &T::desc, Presence::optional, rules::any(), "Largest first; ties stay in ascending order of id."),
  };
};

template <>
struct Describe<queries::NodeGetParams> {
  using T = queries::NodeGetParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::optional, rules::any(), "One node; either this or `refs`."),
      field("refs", &T::refs, Presence::optional, queries::refs_rule, "Several nodes, answered in this order."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::NodeFindParams> {
  using T = queries::NodeFindParams;
  static constexpr auto fields = std::tuple{
      field("type", &T::type, Presence::required, rules::any(), "The record type searched."),
      field("where", &T::where, Presence::optional, rules::any(), "Conditions by field; all must hold."),
      field("order", &T::order, Presence::optional, rules::any(), "By id where nothing is said."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::PersonParams> {
  using T = queries::PersonParams;
  static constexpr auto fields = std::tuple{
      field("person", &T::person, Presence::required, rules::text(1, queries::person_name_max),
            "The id of a Person, or the name as records give it."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::HoldListParams> {
  using T = queries::HoldListParams;
  static constexpr auto fields = std::tuple{
      field("all", &T::all, Presence::optional, rules::any(), "Also those that were cleared."),
  };
};

template <>
struct Describe<queries::NodeCountParams> {
  using T = queries::NodeCountParams;
  static constexpr auto fields = std::tuple{
      field("type", &T::type, Presence::required, rules::any(), "The record type counted."),
      field("where", &T::where, Presence::optional, rules::any(), "Conditions by field; all must hold."),
  };
};

template <>
struct Describe<queries::NodeNeighborsParams> {
  using T = queries::NodeNeighborsParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node whose neighbours are sought."),
      field("side", &T::side, Presence::required, rules::any(),
            "What it was made from, what was made from it, what it belongs to, or its parts."),
      field("edge_types", &T::edge_types, Presence::optional, rules::any(),
            "Only by these edges; all where not given."),
      field("type", &T::type, Presence::optional, rules::any(), "Only neighbours of this record type."),
      field("where", &T::where, Presence::optional, rules::any(),
            "Conditions by field, as in `node.find`; needs `type`."),
      field("order", &T::order, Presence::optional, rules::any(),
            "By weight, largest first, where nothing is said. By weight, time, tx, id or a field of `type`."),
      field("group_by", &T::group_by, Presence::optional, rules::any(),
            "Counts instead of nodes: by type, edge_type, month, day, score, or a field of `type`."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::NodeActivityParams> {
  using T = queries::NodeActivityParams;
  static constexpr auto fields = std::tuple{
      field("types", &T::types, Presence::optional, rules::any(), "Record types counted; all where not given."),
      field("lanes", &T::lanes, Presence::optional, rules::any(), "What makes a lane: type where nothing is said."),
      field("period", &T::period, Presence::optional, rules::any(),
            "The shortest of which at most 100 come, where nothing is said."),
      field("from", &T::from, Presence::optional, rules::any(), "The first moment that counts."),
      field("to", &T::to, Presence::optional, rules::any(), "The last moment that counts."),
  };
};

}  // namespace whence::schema
