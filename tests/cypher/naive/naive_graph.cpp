#include "tests/cypher/naive/naive_graph.hpp"

#include <algorithm>
#include <stdexcept>

namespace whence::tests {

NaiveNode const* NaiveGraph::find_node(std::uint64_t id) const {
  auto const found = std::ranges::find(all_nodes, id, &NaiveNode::id);
  return found == all_nodes.end() ? nullptr : &*found;
}

NaiveRelation const* NaiveGraph::find_relation(std::uint64_t id) const {
  auto const found = std::ranges::find(all_relations, id, &NaiveRelation::id);
  return found == all_relations.end() ? nullptr : &*found;
}

std::vector<std::string> NaiveGraph::labels_of(std::uint64_t node) const {
  auto const* found = find_node(node);
  return found != nullptr ? found->labels : std::vector<std::string>{};
}

Map NaiveGraph::node_properties(std::uint64_t node) const {
  auto const* found = find_node(node);
  return found != nullptr ? found->properties : Map{};
}

Value NaiveGraph::node_property(std::uint64_t node, std::string_view name) const {
  auto const properties = node_properties(node);
  auto const found = properties.find(name);
  return found == properties.end() ? Value{} : found->second;
}

void NaiveGraph::relations(std::uint64_t /*node*/, Direction /*direction*/, std::span<NameId const> /*types*/,
                           std::vector<RelationEnds>& /*out*/) const {
  throw std::logic_error{"the naive evaluator reads the list"};
}

NameId NaiveGraph::type_of(Relation const& relation) const {
  return static_cast<NameId>(find_relation(relation.id) - all_relations.data());
}

Map NaiveGraph::relation_properties(Relation const& relation) const {
  auto const* found = find_relation(relation.id);
  return found != nullptr ? found->properties : Map{};
}

Value NaiveGraph::relation_property(Relation const& relation, std::string_view name) const {
  auto const properties = relation_properties(relation);
  auto const found = properties.find(name);
  return found == properties.end() ? Value{} : found->second;
}

}  // namespace whence::tests
