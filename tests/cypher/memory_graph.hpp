#pragma once
// A property graph in memory, which tests fill as they like.

#include "queries/cypher/values/property_graph.hpp"

#include <map>
#include <string>
#include <vector>

namespace whence::tests {

using namespace queries::cypher;

class MemoryGraph final : public PropertyGraph {
 public:
  std::uint64_t add_node(std::vector<std::string> const& labels, Map properties);
  void remove_relation(std::uint64_t id);
  Relation add_relation(std::uint64_t from, std::uint64_t to, std::string const& type, Map properties);

  [[nodiscard]] std::uint64_t node_bound() const override { return nodes_.size(); }
  [[nodiscard]] std::optional<NameId> find_label(std::string_view name) const override {
    return find_name(labels_, name);
  }
  [[nodiscard]] std::optional<NameId> find_type(std::string_view name) const override {
    return find_name(types_, name);
  }
  [[nodiscard]] std::string type_name(NameId type) const override { return types_[type]; }
  [[nodiscard]] std::size_t scan(std::optional<NameId> label, std::uint64_t& position,
                                 std::span<std::uint64_t> out) const override;
  [[nodiscard]] bool has_label(std::uint64_t node, NameId label) const override;
  [[nodiscard]] std::vector<std::string> labels_of(std::uint64_t node) const override;
  [[nodiscard]] Value node_property(std::uint64_t node, std::string_view name) const override;
  [[nodiscard]] Map node_properties(std::uint64_t node) const override { return nodes_[node].properties; }
  void relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                 std::vector<RelationEnds>& out) const override;
  [[nodiscard]] NameId type_of(Relation const& one) const override { return relations_[one.id].ends.type; }
  [[nodiscard]] Value relation_property(Relation const& one, std::string_view name) const override;
  [[nodiscard]] Map relation_properties(Relation const& one) const override { return relations_[one.id].properties; }
  [[nodiscard]] double count_nodes(std::optional<NameId> label) const override;
  [[nodiscard]] double count_relations(std::optional<NameId> type) const override;

 private:
  struct StoredNode {
    std::vector<NameId> labels;
    Map properties;
    std::vector<std::uint64_t> out;
    std::vector<std::uint64_t> in;
  };
  struct StoredRelation {
    RelationEnds ends;
    Map properties;
  };

  static std::optional<NameId> find_name(std::vector<std::string> const& names, std::string_view name);
  static NameId name_id(std::vector<std::string>& names, std::string const& name);

  std::vector<std::string> labels_;
  std::vector<std::string> types_;
  std::vector<StoredNode> nodes_;
  std::vector<StoredRelation> relations_;
};

}  // namespace whence::tests
