// Columns with an aggregation: what stands beside it is a column itself, or a part of a list or map, by which rows are
// then grouped, too.
#include "queries/cypher/resolve/resolver.hpp"
#include "queries/cypher/resolve/same.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

/// The variable that a simple expression (a variable, or a property of one) reads; null where it is no such.
Variable const* simple_base(Expression const& expression) {
  if (expression.is<PropertyLookup>()) return simple_base(*expression.operands[0]);
  return expression.find<Variable>();
}

/// What the plan calls a key without a name.
std::string shown_key(Expression const& expression) {
  auto const* property = expression.find<PropertyLookup>();
  if (property != nullptr) return shown_key(*expression.operands[0]) + "." + property->name;
  auto const* variable = expression.find<Variable>();
  return variable != nullptr ? variable->name : "expression";
}

}  // namespace

/// The columns of one projection that have an aggregation.
struct Resolver::Grouped {
  Resolver& resolver;
  Projection& projection;
  std::vector<Slot> own = {};   ///< of variables that the expression itself binds around the present place
  Slot own_from = no_slot;      ///< slots from here on are those of a pattern or a subquery around it
  bool is_in_subquery = false;  ///< where aggregations are of other rows

  /// `is_part`: it is the whole column, or a part of a list or a map that is.
  void check(ExpressionPtr& node, bool is_part) {
    if (resolver.failed() || (!is_in_subquery && is_aggregation(*node))) return;
    auto const* base = simple_base(*node);
    if (base != nullptr && is_own(base->slot)) return;
    auto const* column = base == nullptr ? nullptr : find_column(*node);
    if (column != nullptr && column->slot < own_from) {  // a subquery sees what is before it alone
      node = make_expression(Variable{{column->name}, column->slot}, node->place);
      return;
    }
    if (is_part && !has_aggregation(*node)) return group_by(node);
    if (auto const* variable = node->find<Variable>()) return check_bound(*variable, variable->slot, node->place);
    bool const has_parts = is_part && node->is<ListLiteral, MapLiteral, MapProjection>();
    auto const depth = own.size();
    auto const own_before = own_from;
    bind(*node);
    if (auto const* search = node->find<PatternSearch>()) check_pattern(*search->pattern);
    if (auto const* subquery = node->find<Subquery>()) check_query(*subquery->query);
    each_operand(*node, [&](ExpressionPtr& each) { check(each, has_parts); });
    own.resize(depth);
    own_from = own_before;
  }

  [[nodiscard]] bool is_own(Slot slot) const { return slot >= own_from || std::ranges::find(own, slot) != own.end(); }

  /// Notes the variables that an expression binds for its operands.
  void bind(Expression const& node) {
    if (auto const* made = node.find<ListComprehension>()) own.push_back(made->element.slot);
    if (auto const* made = node.find<Quantifier>()) own.push_back(made->element.slot);
    if (auto const* made = node.find<Reduction>()) own.insert(own.end(), {made->accumulator.slot, made->element.slot});
    if (auto const* made = node.find<PatternSearch>()) own_from = std::min(own_from, made->start.slot);
    if (auto const* made = node.find<Subquery>()) own_from = std::min(own_from, made->start.slot);
  }

  [[nodiscard]] ProjectionItem const* find_column(Expression const& node) const {
    auto const found = std::ranges::find_if(projection.items, [&](ProjectionItem const& item) {
      return !item.is_aggregating && is_same_form(node, *item.expression);
    });
    return found == projection.items.end() ? nullptr : &*found;
  }

  /// Whether rows are grouped by the variable of that place.
  [[nodiscard]] bool is_key(Slot slot) const {
    auto const has = [slot](ProjectionItem const& item) {
      auto const* variable = item.expression->find<Variable>();
      return !item.is_aggregating && variable != nullptr && variable->slot == slot;
    };
    return std::ranges::any_of(projection.items, has) || std::ranges::any_of(projection.hidden_keys, has);
  }

  void check_bound(Named const& variable, Slot slot, Place place) {
    if (slot == no_slot || is_own(slot) || is_key(slot)) return;
    resolver.fail(place, "AmbiguousAggregationExpression",
                  "'" + variable.name + "' stands beside an aggregation, but is no column");
  }

  /// Whether its value follows from the variables that rows are grouped by.
  [[nodiscard]] bool follows(Expression const& node) const {
    if (node.is<PatternSearch, Subquery>()) return false;
    auto const* variable = node.find<Variable>();
    return variable != nullptr ? is_key(variable->slot)
                               : std::ranges::all_of(node.operands, [&](ExpressionPtr const& each) {
                                   return each == nullptr || follows(*each);
                                 });
  }

  /// Makes the expression a key of the groups, and puts its value in its place.
  void group_by(ExpressionPtr& node) {
    if (follows(*node)) return;
    auto const place = node->place;
    auto const* key = find_column(*node);
    for (auto const& each : projection.hidden_keys) {
      if (key == nullptr && is_same_form(*node, *each.expression)) key = &each;
    }
    if (key == nullptr) {
      auto const* variable = node->find<Variable>();
      auto const slot = variable != nullptr ? variable->slot : resolver.new_slot();
      auto name = shown_key(*node);
      key = &projection.hidden_keys.emplace_back(
          ProjectionItem{.expression = std::move(node), .name = std::move(name), .slot = slot});
    }
    node = make_expression(Variable{{key->name}, key->slot}, place);
  }

  void check_pattern(Pattern& pattern) {
    for (auto& path : pattern.paths) {
      for (auto& node : path.nodes) {
        if (node.is_bound) check_bound({node.name}, node.slot, node.place);
        if (node.properties != nullptr) check(node.properties, false);
      }
      for (auto& relation : path.relations) {
        if (relation.is_bound) check_bound({relation.name}, relation.slot, relation.place);
        if (relation.properties != nullptr) check(relation.properties, false);
      }
    }
  }

  void check_query(Query& query) {
    bool const was_in_subquery = std::exchange(is_in_subquery, true);
    auto const some = [this](ExpressionPtr& each) {
      if (each != nullptr) check(each, false);
    };
    for (auto& part : query.parts) {
      for (auto& clause : part.clauses) {
        check_pattern(clause.pattern);
        some(clause.where);
        some(clause.expression);
        for (auto& each : clause.arguments) some(each);
        for (auto& each : clause.projection.order) some(each.expression);
        for (auto& each : clause.projection.items) {
          // `*` names all that is around, whether it is read or not.
          if (!clause.projection.has_star || !each.expression->is<Variable>()) some(each.expression);
        }
      }
    }
    is_in_subquery = was_in_subquery;
  }
};

void Resolver::grouped(Projection& projection) {
  Grouped grouped{*this, projection};
  for (auto& item : projection.items) {
    if (item.is_aggregating && !failed()) grouped.check(item.expression, true);
  }
}

}  // namespace whence::queries::cypher
