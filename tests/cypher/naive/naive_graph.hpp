#pragma once
// A graph as two lists, which is all that the naive evaluator looks at.

#include "queries/cypher/values/property_graph.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace whence::tests {

using namespace queries::cypher;

struct NaiveNode {
  std::uint64_t id = 0;
  std::vector<std::string> labels = {};
  Map properties = {};
};

struct NaiveRelation {
  std::uint64_t id = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string type = {};
  Map properties = {};
  bool is_virtual = false;  ///< found only by patterns that name its type
};

/// Its members are searched from front to back. Values point to it, so that the functions of the language, which are
/// shared with the engine, can ask for labels, types and properties; it has nothing that a planner could use.
class NaiveGraph final : public PropertyGraph {
 public:
  std::vector<NaiveNode> all_nodes = {};
  std::vector<NaiveRelation> all_relations = {};

  [[nodiscard]] NaiveNode const* find_node(std::uint64_t id) const;
  [[nodiscard]] NaiveRelation const* find_relation(std::uint64_t id) const;

  [[nodiscard]] std::uint64_t node_bound() const override { return 0; }
  [[nodiscard]] std::optional<NameId> find_label(std::string_view /*name*/) const override { return std::nullopt; }
  [[nodiscard]] std::optional<NameId> find_type(std::string_view /*name*/) const override { return std::nullopt; }
  /// A type's number is the place of the relation in the list.
  [[nodiscard]] std::string type_name(NameId type) const override { return all_relations[type].type; }
  [[nodiscard]] std::size_t scan(std::optional<NameId> /*label*/, std::uint64_t& /*position*/,
                                 std::span<std::uint64_t> /*out*/) const override {
    return 0;
  }
  [[nodiscard]] bool has_label(std::uint64_t /*node*/, NameId /*label*/) const override { return false; }
  [[nodiscard]] std::vector<std::string> labels_of(std::uint64_t node) const override;
  [[nodiscard]] Value node_property(std::uint64_t node, std::string_view name) const override;
  [[nodiscard]] Map node_properties(std::uint64_t node) const override;
  void relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                 std::vector<RelationEnds>& out) const override;
  [[nodiscard]] NameId type_of(Relation const& relation) const override;
  [[nodiscard]] Value relation_property(Relation const& relation, std::string_view name) const override;
  [[nodiscard]] Map relation_properties(Relation const& relation) const override;
  [[nodiscard]] double count_nodes(std::optional<NameId> /*label*/) const override { return 0; }
  [[nodiscard]] double count_relations(std::optional<NameId> /*type*/) const override { return 0; }
};

/// The graphs of all moments; null where there is none.
using NaiveMoments = std::function<NaiveGraph const*(Moment const&)>;

}  // namespace whence::tests
