#pragma once
// The schema as a graph: a node for each record type, a relation for each row of the catalogue of edges.

#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/value.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// A node has its type as label, and the properties `name`, `indexes` (of properties) and `constraints` (their names);
/// a relation has its edge type and `name`. Ids are those that no node or relation of a store has. It is the same for
/// everybody, and is used to show nodes and relations: it is not searched. Any thread may use it at any time.
class SchemaGraph final : public queries::cypher::PropertyGraph {
 public:
  /// The only one, which lives as long as the process.
  [[nodiscard]] static SchemaGraph const& instance();

  [[nodiscard]] queries::cypher::Node node(schema::RecordType type) const;
  [[nodiscard]] queries::cypher::Relation relation(schema::EdgeRule const& rule) const;

  [[nodiscard]] std::uint64_t node_bound() const override;
  [[nodiscard]] std::optional<queries::cypher::NameId> find_label(std::string_view name) const override;
  [[nodiscard]] std::optional<queries::cypher::NameId> find_type(std::string_view name) const override;
  [[nodiscard]] std::string type_name(queries::cypher::NameId type) const override;
  [[nodiscard]] std::size_t scan(std::optional<queries::cypher::NameId> label, std::uint64_t& position,
                                 std::span<std::uint64_t> out) const override;
  [[nodiscard]] bool has_label(std::uint64_t node, queries::cypher::NameId label) const override;
  [[nodiscard]] std::vector<std::string> labels_of(std::uint64_t node) const override;
  [[nodiscard]] queries::cypher::Value node_property(std::uint64_t node, std::string_view name) const override;
  [[nodiscard]] queries::cypher::Map node_properties(std::uint64_t node) const override;
  void relations(std::uint64_t node, queries::cypher::Direction direction,
                 std::span<queries::cypher::NameId const> types,
                 std::vector<queries::cypher::RelationEnds>& out) const override;
  [[nodiscard]] queries::cypher::NameId type_of(queries::cypher::Relation const& relation) const override;
  [[nodiscard]] queries::cypher::Value relation_property(queries::cypher::Relation const& relation,
                                                         std::string_view name) const override;
  [[nodiscard]] queries::cypher::Map relation_properties(queries::cypher::Relation const& relation) const override;
  [[nodiscard]] double count_nodes(std::optional<queries::cypher::NameId> label) const override;
  [[nodiscard]] double count_relations(std::optional<queries::cypher::NameId> type) const override;

 private:
  SchemaGraph() = default;
};

/// What the index and the constraint of a property of a label are called: "id_of_Response".
[[nodiscard]] std::string key_name(std::string_view property, std::string_view label);

}  // namespace whence::net
