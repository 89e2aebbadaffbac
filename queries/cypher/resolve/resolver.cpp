// Clauses of the resolver.
#include "queries/cypher/resolve/resolver.hpp"

#include "queries/cypher/resolve/same.hpp"
#include "schema/base/suggest.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

/// The types that a procedure's parameter takes; it converts integers to floats.
TypeMask mask_of_name(std::string_view type) {
  if (auto const bar = type.find(" | "); bar != std::string_view::npos)
    return mask_of_name(type.substr(0, bar)) | mask_of_name(type.substr(bar + 3));
  if (type == "INTEGER") return mask_of(ValueType::integer);
  if (type == "FLOAT" || type == "NUMBER") return number_type;
  if (type == "STRING") return mask_of(ValueType::text);
  if (type == "DATETIME") return mask_of(ValueType::date_time);
  if (type == "BOOLEAN") return mask_of(ValueType::boolean);
  if (type == "MAP") return mask_of(ValueType::map) | mask_of(ValueType::node) | mask_of(ValueType::relation);
  if (type == "LIST") return mask_of(ValueType::list);
  if (type == "NODE") return mask_of(ValueType::node);
  if (type == "RELATIONSHIP") return mask_of(ValueType::relation);
  return any_type;
}

class NoProcedures final : public Procedures {
 public:
  [[nodiscard]] Procedure const* find(std::string_view /*name*/) const override { return nullptr; }
};

}  // namespace

void Resolver::fail(Place place, std::string detail, std::string message, ErrorKind kind) {
  if (!error_)
    error_ = QueryError{.kind = kind, .detail = std::move(detail), .message = std::move(message), .place = place};
}

/// Notes the first place of a name.
void Resolver::names(NameKind kind, std::vector<std::string> const& names, Place place) {
  for (auto const& name : names) {
    if (named_.emplace(kind, name).second) statement_.names.push_back({.kind = kind, .name = name, .place = place});
  }
}

std::optional<QueryError> Resolver::run() {
  moment(statement_.at);
  if (statement_.at) at_ = &*statement_.at;
  query(statement_.query, {}, true);
  if (error_) show_place(*error_, statement_.text);
  return error_;
}

void Resolver::moment(std::optional<AtMoment>& at) {
  if (!at) return;
  Scope none;
  expression(*at->expression, none, {});
}

void Resolver::query(Query& query, Scope const& outer, bool is_whole) {
  for (std::size_t i = 0; i < query.parts.size() && !failed(); ++i) {
    auto const columns = statement_.columns;
    if (is_whole) statement_.columns.clear();
    single(query.parts[i], outer, is_whole);
    if (failed() || !is_whole || i == 0) continue;
    if (query.keeps_all[i - 1] != query.keeps_all[0]) {
      fail(query.union_places[i - 1], "InvalidClauseComposition", "UNION and UNION ALL are not mixed");
    }
    if (columns != statement_.columns) {
      auto sorted_first = columns;
      auto sorted_second = statement_.columns;
      std::ranges::sort(sorted_first);
      std::ranges::sort(sorted_second);
      if (sorted_first != sorted_second) {
        fail(query.union_places[i - 1], "DifferentColumnsInUnion", "the parts of a UNION have the same columns");
        return;
      }
      // The same names in another order: the first part's order stays.
      auto const& slots = statement_.column_slots.back();
      std::vector<Slot> moved;
      moved.reserve(columns.size());
      for (auto const& name : columns) {
        moved.push_back(
            slots[static_cast<std::size_t>(std::ranges::find(statement_.columns, name) - statement_.columns.begin())]);
      }
      statement_.column_slots.back() = moved;
      statement_.columns = columns;
    }
  }
}

void Resolver::single(SingleQuery& part, Scope scope, bool is_whole) {
  std::vector<Slot> slots;
  for (auto& clause : part.clauses) {
    if (failed()) return;
    switch (clause.kind) {
      case ClauseKind::match:
        match(clause, scope);
        break;
      case ClauseKind::unwind:
        unwind(clause, scope);
        break;
      case ClauseKind::with:
      case ClauseKind::returning:
        projection(clause, scope);
        break;
      case ClauseKind::call:
        call(clause, scope, part.clauses.size() == 1 && is_whole);
        break;
      case ClauseKind::create:
        pattern(clause.pattern, scope, true);
        break;
      case ClauseKind::remove:
        for (auto& each : clause.arguments) expression(*each, scope, {});
        break;
    }
  }
  if (!is_whole || failed()) return;
  auto const& last = part.clauses.back();
  if (last.kind == ClauseKind::returning) {
    for (auto const& item : last.projection.items) {
      statement_.columns.push_back(item.name);
      slots.push_back(item.slot);
    }
  } else if (last.kind == ClauseKind::call && part.clauses.size() == 1) {
    for (auto const& yield : last.yields) {
      statement_.columns.push_back(yield.name);
      slots.push_back(yield.slot);
    }
  } else if (last.kind == ClauseKind::call && !last.procedure->columns.empty()) {
    fail(last.place, "InvalidClauseComposition", "a query ends with RETURN");
  }
  statement_.column_slots.push_back(std::move(slots));
}

void Resolver::match(Clause& clause, Scope& scope) {
  moment(clause.at);
  auto const* const outer = at_;
  if (clause.at) at_ = &*clause.at;
  pattern(clause.pattern, scope, true);
  if (clause.where != nullptr && !failed()) condition(*clause.where, scope, {.may_be_pattern = true});
  at_ = outer;
  if (!clause.is_optional) return;
  // What an OPTIONAL MATCH binds may be null.
  for (auto const& path : clause.pattern.paths) {
    for (auto const& each : path.nodes) {
      if (auto const found = scope.find(each.name); found != scope.end())
        found->second.type.mask |= mask_of(ValueType::null);
    }
  }
}

void Resolver::unwind(Clause& clause, Scope& scope) {
  auto const type = expression(*clause.expression, scope, {});
  if (scope.contains(clause.name))
    return fail(clause.place, "VariableAlreadyBound", "'" + clause.name + "' has a value already");
  clause.slot = new_slot();
  bool const is_list = type.mask == mask_of(ValueType::list);
  scope[clause.name] = {.slot = clause.slot, .type = {.mask = is_list ? type.elements : any_type}};
}

void Resolver::call(Clause& clause, Scope& scope, bool is_standalone) {
  clause.procedure = procedures_ != nullptr ? procedures_->find(clause.name) : nullptr;
  if (clause.procedure == nullptr) {
    auto error = procedures_ != nullptr ? procedures_->refusal(clause.name) : NoProcedures{}.refusal(clause.name);
    return fail(clause.place, std::move(error.detail), std::move(error.message), error.kind);
  }
  call_arguments(clause, scope, is_standalone);
  if (failed()) return;
  auto const& columns = clause.procedure->columns;
  if (clause.yields_all && !is_standalone) {
    return fail(clause.place, "UnexpectedSyntax", "YIELD * stands in a CALL that is the whole query only");
  }
  if (clause.yields_all || (is_standalone && !clause.has_yield)) {
    for (auto const& column : columns) clause.yields.push_back({.column = column.name, .name = column.name});
  }
  for (auto& yield : clause.yields) {
    auto const found = std::ranges::find(columns, yield.column, &ProcedureField::name);
    if (found == columns.end()) {
      return fail(clause.place, "UndefinedVariable",
                  "'" + clause.name + "' has no column '" + yield.column + "'" +
                      schema::alternatives(yield.column, schema::names_in(columns)));
    }
    if (scope.contains(yield.name))
      return fail(clause.place, "VariableAlreadyBound", "'" + yield.name + "' has a value already");
    yield.index = static_cast<std::size_t>(found - columns.begin());
    yield.slot = new_slot();
    scope[yield.name] = {.slot = yield.slot, .type = {.mask = mask_of_name(found->type) | mask_of(ValueType::null)}};
  }
  if (clause.where != nullptr) condition(*clause.where, scope, {.may_be_pattern = true});
}

void Resolver::call_arguments(Clause& clause, Scope& scope, bool is_standalone) {
  auto const& parameters = clause.procedure->parameters;
  if (!clause.has_arguments) {
    if (!is_standalone || clause.has_yield) {
      return fail(clause.place, "InvalidArgumentPassingMode",
                  "a CALL inside of a query names its arguments: " + clause.name + "(...)");
    }
    // The arguments are the parameters of the run with the same names.
    for (auto const& each : parameters) {
      if (!each.is_optional) statement_.parameters.push_back(each.name);
      clause.arguments.push_back(make_expression(Parameter{each.name}, clause.place));
    }
    return;
  }
  auto const needed = static_cast<std::size_t>(std::ranges::count(parameters, false, &ProcedureField::is_optional));
  if (clause.procedure->takes_map && clause.arguments.size() == 1) {
    auto const type = expression(*clause.arguments[0], scope, {});
    auto const first = parameters.empty() ? "MAP" : parameters[0].type;
    auto const accepted = mask_of_name("MAP") | (needed <= 1 ? mask_of_name(first) : 0) | mask_of(ValueType::null);
    if (!failed() && (type.mask & accepted) == 0) {
      fail(clause.arguments[0]->place, "InvalidArgumentType",
           "'" + clause.name + "' takes a map, or " + signature_of(*clause.procedure));
    }
    return;
  }
  if (clause.arguments.size() > parameters.size() || clause.arguments.size() < needed) {
    return fail(clause.place, "InvalidNumberOfArguments",
                "'" + clause.name + "' takes " + std::to_string(parameters.size()) + " arguments, not " +
                    std::to_string(clause.arguments.size()) + ": " + signature_of(*clause.procedure));
  }
  for (std::size_t i = 0; i < clause.arguments.size() && !failed(); ++i) {
    auto const type = expression(*clause.arguments[i], scope, {});
    if ((type.mask & (mask_of_name(parameters[i].type) | mask_of(ValueType::null))) == 0) {
      fail(clause.arguments[i]->place, "InvalidArgumentType",
           "'" + parameters[i].name + "' of '" + clause.name + "' is " + parameters[i].type);
    }
  }
}

}  // namespace whence::queries::cypher
