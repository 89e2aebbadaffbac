#pragma once
// The params of `node.get`, `node.find` and `node.count`, and their members on the wire.

#include "queries/params.hpp"
#include "schema/records/record_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
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
struct Describe<queries::NodeCountParams> {
  using T = queries::NodeCountParams;
  static constexpr auto fields = std::tuple{
      field("type", &T::type, Presence::required, rules::any(), "The record type counted."),
      field("where", &T::where, Presence::optional, rules::any(), "Conditions by field; all must hold."),
  };
};

}  // namespace whence::schema
