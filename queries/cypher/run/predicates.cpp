// A value may be a node or relation of another graph, as of another moment or of the schema. It is looked at as the
// graph of the pattern has it, and does not hold where that lacks it.
#include "queries/cypher/run/predicates.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>
#include <array>

namespace whence::queries::cypher {
namespace {

bool has_labels(PropertyGraph const& graph, Value const& value, std::vector<std::string> const& labels) {
  auto const* node = value.find_node();
  if (node == nullptr) return false;
  return std::ranges::all_of(labels, [&](std::string const& name) {
    auto const label = graph.find_label(name);
    return label && graph.has_label(node->id, *label);
  });
}

/// A node or a relation as the graph has it; null for other values.
Value seen_in(PropertyGraph const& graph, Value const& value) {
  if (auto const* node = value.find_node()) return Node{&graph, node->id};
  auto const* relation = value.find_relation();
  if (relation == nullptr) return {};
  auto seen = *relation;
  seen.graph = &graph;
  return seen;
}

}  // namespace

bool has_properties(Value const& entity, Map const& expected, RunState& state, Place place) {
  return std::ranges::all_of(expected, [&](Map::value_type const& entry) {
    auto const same = equals(property_of(entity, entry.first, state, {}), entry.second, state, place);
    return same && *same;
  });
}

bool has_node(PropertyGraph const& graph, Node const& node) {
  if (node.graph == &graph) return true;
  if (node.id >= graph.node_bound()) return false;
  auto position = node.id;
  std::array<std::uint64_t, 1> found{};
  return graph.scan({}, position, found) > 0 && found[0] == node.id;
}

bool has_relation(PropertyGraph const& graph, Relation const& relation) {
  if (relation.graph == &graph) return true;
  if (!has_node(graph, Node{relation.graph, relation.from})) return false;
  auto const type = graph.find_type(relation.graph->type_name(relation.graph->type_of(relation)));
  if (!type) return false;
  std::vector<RelationEnds> found;
  graph.relations(relation.from, Direction::out, {&*type, 1}, found);
  return std::ranges::find(found, relation.id, &RelationEnds::id) != found.end();
}

bool holds(Predicate const& predicate, PropertyGraph const& graph, Row& row, RunState& state) {
  switch (predicate.kind) {
    case Predicate::Kind::condition:
      return is_true(*predicate.expression, row, state);
    case Predicate::Kind::labels:
      return has_labels(graph, row[predicate.slot], *predicate.labels);
    case Predicate::Kind::bound_node: {
      auto const* node = row[predicate.slot].find_node();
      return node != nullptr && has_node(graph, *node);
    }
    case Predicate::Kind::properties:
      break;
  }
  auto const expected = evaluate(*predicate.expression, row, state);
  if (expected.find_map() == nullptr) return false;
  auto const fits = [&](Value const& value) {
    auto const entity = seen_in(graph, value);
    return !entity.is_null() && has_properties(entity, *expected.find_map(), state, predicate.expression->place);
  };
  // The relations of a variable length, or the one entity.
  auto const* list = row[predicate.slot].find_list();
  return list != nullptr ? std::ranges::all_of(*list, fits) : fits(row[predicate.slot]);
}

bool is_taken(std::uint64_t relation, std::span<Slot const> slots, Row const& row) {
  return std::ranges::any_of(slots, [&](Slot slot) {
    if (auto const* one = row[slot].find_relation()) return one->id == relation;
    auto const* list = row[slot].find_list();
    return list != nullptr && std::ranges::any_of(*list, [&](Value const& each) {
             return each.find_relation() != nullptr && each.find_relation()->id == relation;
           });
  });
}

}  // namespace whence::queries::cypher
