#pragma once
// A View as a property graph: record types as labels, members as properties, edge types, and any past moment.

#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/whence/record_cache.hpp"
#include "queries/view/view.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace whence::queries::cypher {

/// The virtual type of every edge with influence, from cause to effect whatever its stored direction is.
inline constexpr std::string_view influences_name = "INFLUENCES";
/// The label of every node.
inline constexpr std::string_view node_label_name = "Node";

/// A property that nodes have beside the members of their record, or that relations may have.
struct GraphProperty {
  std::string_view name;
  ValueType type;
  bool is_of_all = true;  ///< nodes: of every type, not only of those with a status; relations: each one has it
};

/// Nodes have the label of their type and `Node`; the properties of their record, and `ref`, `tx`, and of units
/// `status`, `score` and `feedbacks`. A record is read when a property of it is first asked for. Relations have the
/// type of their edge in its stored direction, and `tx` with the number that the type carries (`weight`, `version`,
/// ...); those found as `INFLUENCES` also `type`, the edge's own.
///
/// Deleted nodes are not there. Used by one thread at a time; the view's objects outlive it. What fails to be read
/// gives no properties, and `error()` says so: a caller asks it after the last row.
class ViewGraph final : public PropertyGraph {
 public:
  /// At most so many past moments in one query.
  static constexpr std::size_t moments_max = 64;

  explicit ViewGraph(View view);
  ~ViewGraph() override;

  [[nodiscard]] View const& view() const noexcept { return view_; }
  [[nodiscard]] std::optional<Error> error() const;
  /// Bytes of the records and lists of nodes that are kept, about.
  [[nodiscard]] std::size_t kept_bytes() const noexcept;
  /// Keeps none: they are read again when they are asked for.
  void let_go() const noexcept;
  /// A relation of this type, in its stored direction; one of them where there are several. O(relations of the end that
  /// has fewer).
  [[nodiscard]] std::optional<Relation> find_relation(graph::VertexId from, graph::VertexId to,
                                                      schema::EdgeType type) const;
  /// The properties that nodes of a type have beside the members of their record.
  [[nodiscard]] static std::vector<GraphProperty> properties_of(schema::RecordType type);
  /// The properties that relations of a type may have; of no type: those of `INFLUENCES`.
  [[nodiscard]] static std::vector<GraphProperty> properties_of(std::optional<schema::EdgeType> type);

  [[nodiscard]] std::uint64_t node_bound() const override;
  [[nodiscard]] std::optional<NameId> find_label(std::string_view name) const override;
  [[nodiscard]] std::optional<NameId> find_type(std::string_view name) const override;
  [[nodiscard]] std::string type_name(NameId type) const override;
  [[nodiscard]] std::string_view gap(NameId type) const override;
  [[nodiscard]] std::size_t scan(std::optional<NameId> label, std::uint64_t& position,
                                 std::span<std::uint64_t> out) const override;
  [[nodiscard]] bool has_label(std::uint64_t node, NameId label) const override;
  [[nodiscard]] bool all_have_label(std::span<std::uint32_t const> nodes, NameId label) const override;
  [[nodiscard]] std::vector<std::string> labels_of(std::uint64_t node) const override;
  [[nodiscard]] Value node_property(std::uint64_t node, std::string_view name) const override;
  [[nodiscard]] Map node_properties(std::uint64_t node) const override;
  void prefetch(std::span<std::uint64_t const> nodes) const override { records_.read_ahead(view_, nodes); }
  void prefetch_unknown(std::span<std::uint64_t const> nodes,
                        std::span<std::string_view const> properties) const override;
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> find_nodes(std::optional<NameId> label,
                                                                     std::string_view property,
                                                                     Value const& value) const override;
  [[nodiscard]] bool has_index(std::optional<NameId> label, std::string_view property) const override;
  void relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                 std::vector<RelationEnds>& out) const override;
  void neighbours(std::uint64_t node, Direction direction, std::span<NameId const> types,
                  std::vector<std::uint32_t>& nodes, std::vector<std::uint64_t>* ids) const override;
  void expect(std::span<std::uint32_t const> nodes, Direction direction, std::span<NameId const> types) const override;
  [[nodiscard]] std::size_t degrees(std::span<std::uint32_t const> nodes, Direction direction,
                                    std::span<NameId const> types, std::span<std::uint64_t> counts) const override;
  /// Of `INFLUENCES` alone: which type an edge has each edge says.
  [[nodiscard]] bool knows_degrees(Direction direction, std::span<NameId const> types) const override;
  /// By the rules of the edge types.
  [[nodiscard]] bool leads_to(std::span<NameId const> types, Direction direction, NameId label) const override;
  /// Of `INFLUENCES` alone.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> walk(std::uint64_t start, Direction direction,
                                                               std::span<NameId const> types, std::uint64_t most,
                                                               schema::Interrupt const& interrupt) const override;
  [[nodiscard]] bool is_unique(std::optional<NameId> label, std::string_view property) const override;
  /// Of numbers that have columns in memory, and of the times that the graph has.
  [[nodiscard]] bool is_at_hand(NameId label, std::string_view property) const override;
  /// Of the fields that have columns in memory.
  [[nodiscard]] bool has_texts(NameId label, std::string_view property) const override;
  [[nodiscard]] std::vector<std::size_t> texts(
      NameId label, std::span<std::uint32_t const> nodes, std::string_view property,
      std::function<void(std::size_t, std::optional<std::string_view> const&)> const& visit) const override;
  [[nodiscard]] std::optional<std::int64_t> day_of(std::uint64_t node, std::string_view property) const override;
  [[nodiscard]] NameId type_of(Relation const& relation) const override;
  [[nodiscard]] Value relation_property(Relation const& relation, std::string_view name) const override;
  [[nodiscard]] Map relation_properties(Relation const& relation) const override;
  [[nodiscard]] double count_nodes(std::optional<NameId> label) const override;
  [[nodiscard]] double count_relations(std::optional<NameId> type) const override;
  [[nodiscard]] Outcome<PropertyGraph const*> at(Moment const& moment) const override;

 private:
  [[nodiscard]] std::optional<Value> number_property(std::uint64_t node, std::string_view name) const;
  [[nodiscard]] std::optional<schema::Time> time_property(std::uint64_t node, std::string_view name) const;
  [[nodiscard]] std::optional<Value> graph_property(std::uint64_t node, std::string_view name) const;

  View view_;
  mutable RecordCache records_;
  mutable std::map<NameId, std::vector<graph::VertexId>>
      by_label_;  ///< nodes of the labels that were scanned, ascending
  mutable std::map<std::uint64_t, std::unique_ptr<ViewGraph>> moments_;  ///< by transaction
};

}  // namespace whence::queries::cypher
