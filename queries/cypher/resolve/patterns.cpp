// Patterns of the resolver: what they bind, and what they may not bind.
#include "queries/cypher/resolve/resolver.hpp"

#include <algorithm>

namespace whence::queries::cypher {

void Resolver::pattern(Pattern& pattern, Scope& scope, bool may_bind) {
  std::vector<std::string> relations;
  for (auto& path : pattern.paths) {
    for (std::size_t i = 0; i < path.nodes.size() && !failed(); ++i) {
      node(path.nodes[i], scope, may_bind);
      if (i < path.relations.size()) relation(path.relations[i], scope, may_bind, relations);
    }
    if (failed()) return;
    if (path.name.empty()) {
      if (path.search != PathSearch::all) path.slot = new_slot();
      continue;
    }
    if (scope.contains(path.name))
      return fail(path.place, "VariableAlreadyBound", "'" + path.name + "' has a value already");
    path.slot = new_slot();
    scope[path.name] = {.slot = path.slot, .type = {.mask = mask_of(ValueType::path)}};
  }
  for (auto& path : pattern.paths) {
    for (auto& each : path.nodes) {
      names_of_properties(each.properties.get());
      if (each.properties != nullptr && !failed()) expression(*each.properties, scope, {});
    }
    for (auto& each : path.relations) {
      names_of_properties(each.properties.get());
      if (each.properties != nullptr && !failed()) expression(*each.properties, scope, {});
    }
  }
}

void Resolver::names_of_properties(Expression const* properties) {
  auto const* map = properties != nullptr ? properties->find<MapLiteral>() : nullptr;
  if (map != nullptr) names(NameKind::property, map->keys, properties->place);
}

void Resolver::node(NodePattern& node, Scope& scope, bool may_bind) {
  names(NameKind::label, node.labels, node.place);
  if (node.properties != nullptr && node.properties->is<Parameter>()) {
    return fail(node.properties->place, "InvalidParameterUse", "the properties of a pattern are a map, no parameter");
  }
  if (node.name.empty()) {
    node.slot = new_slot();
    return;
  }
  auto const found = scope.find(node.name);
  if (found == scope.end()) {
    if (!may_bind) return fail(node.place, "UndefinedVariable", "'" + node.name + "' is not defined");
    node.slot = new_slot();
    scope[node.name] = {.slot = node.slot, .type = {.mask = mask_of(ValueType::node)}};
    return;
  }
  node.slot = found->second.slot;
  node.is_bound = true;
  if ((found->second.type.mask & (mask_of(ValueType::node) | mask_of(ValueType::null))) == 0) {
    fail(node.place, "VariableTypeConflict", "'" + node.name + "' is no node");
  }
}

void Resolver::relation(RelationPattern& relation, Scope& scope, bool may_bind, std::vector<std::string>& seen) {
  names(NameKind::relation_type, relation.types, relation.place);
  if (relation.properties != nullptr && relation.properties->is<Parameter>()) {
    return fail(relation.properties->place, "InvalidParameterUse",
                "the properties of a pattern are a map, no parameter");
  }
  if (relation.is_variable && relation.most && relation.least.value_or(1) > *relation.most && *relation.most < 0) {
    return fail(relation.place, "InvalidRelationshipPattern", "a length is not negative");
  }
  if (relation.name.empty()) {
    relation.slot = new_slot();
    return;
  }
  if (std::ranges::find(seen, relation.name) != seen.end()) {
    return fail(relation.place, "RelationshipUniquenessViolation",
                "'" + relation.name + "' occurs twice: no relation does in one match");
  }
  seen.push_back(relation.name);
  auto const type = relation.is_variable ? ValueType::list : ValueType::relation;
  auto const found = scope.find(relation.name);
  if (found == scope.end()) {
    if (!may_bind) return fail(relation.place, "UndefinedVariable", "'" + relation.name + "' is not defined");
    relation.slot = new_slot();
    scope[relation.name] = {.slot = relation.slot,
                            .type = {.mask = mask_of(type), .elements = mask_of(ValueType::relation)}};
    return;
  }
  relation.slot = found->second.slot;
  relation.is_bound = true;
  if ((found->second.type.mask & (mask_of(type) | mask_of(ValueType::null))) == 0) {
    fail(relation.place, "VariableTypeConflict",
         "'" + relation.name + "' is no " + (relation.is_variable ? "list of relations" : "relation"));
  }
}

}  // namespace whence::queries::cypher
