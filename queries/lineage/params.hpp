#pragma once
// The params of the methods about lineage, impact and traces, and their members on the wire.

#include "graph/walks/walk.hpp"
#include "queries/view/params.hpp"
#include "schema/base/limits.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

enum class Form : std::uint8_t { nodes, edges, graph };
constexpr std::array<std::string_view, 3> enum_names(Form) noexcept {
  return {"nodes", "edges", "graph"};
}

/// `between`: both ends included, either may be open.
struct TimeRange {
  std::optional<schema::Time> from = {};
  std::optional<schema::Time> to = {};
};

struct LineageParams {
  NodeRef ref;
  std::uint32_t depth = graph::depth_unbounded;
  std::optional<schema::EdgeTypeSet> edge_types = {};
  std::optional<schema::RecordTypeSet> node_types = {};
  std::optional<TimeRange> between = {};
  std::optional<double> min_weight = {};
  Form form = Form::nodes;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
  std::optional<std::string> column = {};
};

struct LineageGraphParams {
  NodeRef ref;
  std::uint32_t up = 2;
  std::uint32_t down = 2;
  bool reduced = false;
  bool relations = false;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

struct PathParams {
  NodeRef from;
  NodeRef to;
  graph::PathKind kind = graph::PathKind::strongest;
  bool dominators = false;
  std::optional<std::vector<schema::Basis>> basis = {};
};

/// What the nodes of an answer are ranked by: share, largest first, or depth, nearest first.
enum class ImpactOrder : std::uint8_t { share, depth };
constexpr std::array<std::string_view, 2> enum_names(ImpactOrder) noexcept {
  return {"share", "depth"};
}

struct InfluenceParams {
  NodeRef ref;
  ImpactOrder order = ImpactOrder::share;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
  bool roles = false;
};

struct ManifestParams {
  std::string response_id;  ///< bare or `Response:` ref
  std::optional<std::uint64_t> max_bytes = {};
};

struct LineageDiffParams {
  std::optional<NodeRef> a = {};
  std::optional<NodeRef> b = {};
  std::optional<NodeRef> ref = {};
  std::optional<AsOf> as_of_a = {};
  std::optional<AsOf> as_of_b = {};
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

struct ImpactParams {
  std::vector<NodeRef> refs = {};
  bool dominators = false;
  ImpactOrder order = ImpactOrder::share;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
  bool roles = false;
};

struct TraceParams {
  NodeRef ref;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::LineageParams> {
  using T = queries::LineageParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "Where the walk starts; never among the nodes."),
      field("depth", &T::depth, Presence::optional, queries::depth_rule, "Edges from the start; all where not given."),
      field("edge_types", &T::edge_types, Presence::optional, rules::any(), "Edge types walked; all where not given."),
      field("node_types", &T::node_types, Presence::optional, rules::any(), "Record types returned; all are walked."),
      field("between", &T::between, Presence::optional, rules::any(),
            "[t0, t1], either may be null: returns nodes whose own time lies within, both ends included."),
      field("min_weight", &T::min_weight, Presence::optional, rules::number(0, 1),
            "Returns nodes whose weight is at least this."),
      field("form", &T::form, Presence::optional, rules::any(), "Whether nodes, edges or both are returned."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
      field("column", &T::column, Presence::optional, rules::any(),
            "Of descendants: only what rests on this column of the dataset, by what facets of OpenLineage say."),
  };
};

template <>
struct Describe<queries::LineageGraphParams> {
  using T = queries::LineageGraphParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node in the middle."),
      field("up", &T::up, Presence::optional, queries::depth_rule, "Depth of ancestors, 2 where not given."),
      field("down", &T::down, Presence::optional, queries::depth_rule, "Depth of descendants, 2 where not given."),
      field("reduced", &T::reduced, Presence::optional, rules::any(),
            "Leaves out every edge that a longer path among the nodes implies."),
      field("relations", &T::relations, Presence::optional, rules::any(),
            "Also follows and shows edges without influence: up to what a node belongs to, down to its parts."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::PathParams> {
  using T = queries::PathParams;
  static constexpr auto fields = std::tuple{
      field("from", &T::from, Presence::required, rules::any(), "The cause."),
      field("to", &T::to, Presence::required, rules::any(), "The effect."),
      field("kind", &T::kind, Presence::optional, rules::any(), "Which paths: the strongest, the shortest or all."),
      field("dominators", &T::dominators, Presence::optional, rules::any(),
            "Adds the nodes that every path passes through."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::InfluenceParams> {
  using T = queries::InfluenceParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node whose ancestors are weighed."),
      field("order", &T::order, Presence::optional, rules::any(),
            "What ranks the nodes: share, largest first, or depth."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
      field("roles", &T::roles, Presence::optional, rules::any(), queries::roles_doc),
  };
};

template <>
struct Describe<queries::ManifestParams> {
  using T = queries::ManifestParams;
  static constexpr auto fields = std::tuple{
      field("response_id", &T::response_id, Presence::required, rules::any(), "A response's id or ref."),
      field("max_bytes", &T::max_bytes, Presence::optional, rules::number(0, limits::integer_max),
            "The size the manifest is cut to, 5119 where not given."),
  };
};

template <>
struct Describe<queries::LineageDiffParams> {
  using T = queries::LineageDiffParams;
  static constexpr auto fields = std::tuple{
      field("a", &T::a, Presence::optional, rules::any(), "The node whose ancestry is compared; with `b`."),
      field("b", &T::b, Presence::optional, rules::any(), "The node it is compared with."),
      field("ref", &T::ref, Presence::optional, rules::any(), "One node at two moments; with `as_of_a`, `as_of_b`."),
      field("as_of_a", &T::as_of_a, Presence::optional, rules::any(), "The first moment."),
      field("as_of_b", &T::as_of_b, Presence::optional, rules::any(), "The second moment."),
      field("include", &T::include, Presence::optional, rules::any(),
            "What to add to each node of `added` and `removed`."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::ImpactParams> {
  using T = queries::ImpactParams;
  static constexpr auto fields = std::tuple{
      field("refs", &T::refs, Presence::required, queries::refs_rule, "The nodes whose effects are sought."),
      field("dominators", &T::dominators, Presence::optional, rules::any(),
            "Adds to each node the nearest node that every path to it passes through."),
      field("order", &T::order, Presence::optional, rules::any(),
            "What ranks the nodes: share, largest first, or depth."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
      field("roles", &T::roles, Presence::optional, rules::any(), queries::roles_doc),
  };
};

template <>
struct Describe<queries::TraceParams> {
  using T = queries::TraceParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node that is traced."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

}  // namespace whence::schema
