// The catalogues of types and the table of functions as rows.

#include "net/cypher/catalog/schema_procedures.hpp"

#include "net/cypher/catalog/names_in_use.hpp"
#include "net/cypher/catalog/schema_graph.hpp"
#include "queries/cypher/functions/table.hpp"
#include "schema/encoding/ascii.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using cypher::List;
using cypher::PropertyGraph;
using cypher::Value;

using Rows = std::vector<List>;
using RowsOfCall = cypher::Outcome<std::unique_ptr<cypher::ProcedureRows>>;

std::vector<cypher::ProcedureField> columns_of(
    std::initializer_list<std::pair<std::string_view, std::string_view>> columns) {
  std::vector<cypher::ProcedureField> made;
  for (auto const& [name, type] : columns)
    made.push_back({.name = std::string{name}, .type = std::string{type}, .doc = {}});
  return made;
}

/// A procedure without arguments whose rows depend on the moment alone.
cypher::Procedure of_moment(std::string name, std::vector<cypher::ProcedureField> columns, std::string doc,
                            std::function<Rows(PropertyGraph const&)> rows) {
  return {.name = std::move(name),
          .parameters = {},
          .columns = std::move(columns),
          .call = [rows = std::move(rows)](cypher::ProcedureContext const& context, List const& /*arguments*/)
              -> RowsOfCall { return cypher::rows_of(rows(context.graph)); },
          .doc = std::move(doc)};
}

/// A name as a pattern has it: ":`Response`".
std::string in_quotes(std::string_view name) {
  return ":`" + std::string{name} + "`";
}

Value list_of(std::vector<std::string> const& texts) {
  List made;
  for (auto const& each : texts) made.emplace_back(each);
  return made;
}

cypher::Procedure node_type_properties(std::shared_ptr<TypeProperties const> properties) {
  auto const rows = [properties = std::move(properties)](PropertyGraph const& graph) {
    Rows made;
    for (auto const type : record_types_in_use(graph)) {
      std::vector<std::string> labels = {std::string{cypher::node_label_name}, std::string{schema::name_of(type)}};
      std::ranges::sort(labels);  // tools know a type by its labels in this order
      auto const name = in_quotes(labels[0]) + in_quotes(labels[1]);
      for (auto const& [key, property] : properties->of(type))
        made.push_back({name, list_of(labels), key, list_of(property.types), property.is_mandatory});
    }
    return made;
  };
  return of_moment("db.schema.nodeTypeProperties",
                   columns_of({{"nodeType", "STRING"},
                               {"nodeLabels", "LIST"},
                               {"propertyName", "STRING"},
                               {"propertyTypes", "LIST"},
                               {"mandatory", "BOOLEAN"}}),
                   "The properties of nodes by their labels, and the types of their values.", rows);
}

cypher::Procedure relation_type_properties() {
  auto const rows = [](PropertyGraph const& graph) {
    Rows made;
    auto const add = [&](std::string_view name, TypePropertyMap const& properties) {
      for (auto const& [key, property] : properties)
        made.push_back({in_quotes(name), key, list_of(property.types), property.is_mandatory});
    };
    auto const types = edge_types_in_use(graph);
    for (auto const type : types) add(schema::name_of(type), relation_properties_of(type));
    if (has_influence(types)) add(cypher::influences_name, relation_properties_of(std::nullopt));
    return made;
  };
  return of_moment(
      "db.schema.relTypeProperties",
      columns_of(
          {{"relType", "STRING"}, {"propertyName", "STRING"}, {"propertyTypes", "LIST"}, {"mandatory", "BOOLEAN"}}),
      "The properties of relations by their type, and the types of their values.", rows);
}

cypher::Procedure visualization() {
  return {.name = "db.schema.visualization",
          .parameters = {},
          .columns = columns_of({{"nodes", "LIST"}, {"relationships", "LIST"}}),
          .call = [](cypher::ProcedureContext const& context, List const& /*arguments*/) -> RowsOfCall {
            auto const rules = edge_rules_in_use(context.graph, context.interrupt);
            if (!rules) return rules.error();
            auto const& schema = SchemaGraph::instance();
            List nodes;
            for (auto const type : record_types_in_use(context.graph)) nodes.emplace_back(schema.node(type));
            List relations;
            for (auto const& rule : *rules) relations.emplace_back(schema.relation(rule));
            Rows rows;
            rows.push_back({std::move(nodes), std::move(relations)});
            return cypher::rows_of(std::move(rows));
          },
          .doc = "The types of nodes, and which relations are between them, as a graph.",
          .rows_estimate = 1};
}

/// A property by which nodes are found, and which no two nodes with the label share.
struct Key {
  std::int64_t number;
  std::string label;
  std::string property;
};

/// The names of the keys say what a ViewGraph has an index of: `ref` of all nodes, `id` of those of one type.
std::vector<Key> keys_of(PropertyGraph const& graph) {
  std::vector<Key> keys;
  auto const add = [&](std::int64_t number, std::string_view label, std::string_view property) {
    auto const known = graph.find_label(label);
    if (known && graph.has_index(known, property) && graph.is_unique(known, property))
      keys.push_back({number, std::string{label}, std::string{property}});
  };
  auto const types = record_types_in_use(graph);
  if (!types.empty()) add(1, cypher::node_label_name, "ref");
  for (auto const type : types) add(1 + static_cast<std::int64_t>(type), schema::name_of(type), "id");
  return keys;
}

/// Constraints have numbers of their own, beside those of indexes.
constexpr std::int64_t constraints_from = 1000;

cypher::Procedure indexes() {
  auto const rows = [](PropertyGraph const& graph) {
    Rows made;
    for (auto const& key : keys_of(graph)) {
      auto const name = key_name(key.property, key.label);
      made.push_back({key.number, name, "ONLINE", 100.0, "RANGE", "NODE", List{key.label}, List{key.property}, "whence",
                      name, Value{}, Value{}});
    }
    return made;
  };
  return of_moment("db.indexes",
                   columns_of({{"id", "INTEGER"},
                               {"name", "STRING"},
                               {"state", "STRING"},
                               {"populationPercent", "FLOAT"},
                               {"type", "STRING"},
                               {"entityType", "STRING"},
                               {"labelsOrTypes", "LIST"},
                               {"properties", "LIST"},
                               {"indexProvider", "STRING"},
                               {"owningConstraint", "STRING"},
                               {"lastRead", "ANY"},
                               {"readCount", "INTEGER"}}),
                   "The properties by whose values nodes are found without looking at others.", rows);
}

cypher::Procedure constraints() {
  auto const rows = [](PropertyGraph const& graph) {
    Rows made;
    for (auto const& key : keys_of(graph)) {
      auto const name = key_name(key.property, key.label);
      made.push_back({constraints_from + key.number, name, "NODE_KEY", "NODE", List{key.label}, List{key.property},
                      name, Value{}});
    }
    return made;
  };
  return of_moment("db.constraints",
                   columns_of({{"id", "INTEGER"},
                               {"name", "STRING"},
                               {"type", "STRING"},
                               {"entityType", "STRING"},
                               {"labelsOrTypes", "LIST"},
                               {"properties", "LIST"},
                               {"ownedIndex", "STRING"},
                               {"propertyType", "STRING"}}),
                   "The properties that each node has and no two share.", rows);
}

/// "INTEGER | FLOAT".
std::string types_text(cypher::TypeMask mask) {
  if (mask == cypher::any_type) return "ANY";
  std::string text;
  for (unsigned i = 1; i <= static_cast<unsigned>(cypher::ValueType::duration); ++i) {
    auto const type = static_cast<cypher::ValueType>(i);
    if ((mask & cypher::mask_of(type)) == 0) continue;
    if (!text.empty()) text += " | ";
    text += schema::in_upper(cypher::name_of(type));
  }
  return text;
}

std::string signature_text(cypher::Function const& function) {
  std::string text{function.name};
  text += "(";
  bool const is_open = function.most_arguments == 255;
  unsigned const shown = is_open ? function.least_arguments : function.most_arguments;
  for (unsigned i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += "input" + std::to_string(i + 1) + (i >= function.least_arguments ? " = null" : "") +
            " :: " + (i == 0 ? types_text(function.first) : "ANY");
  }
  if (is_open) text += ", ...";
  return text + ") :: " + types_text(function.result);
}

/// By what it takes and gives.
std::string_view category_of(cypher::Function const& function) {
  constexpr auto null = cypher::mask_of(cypher::ValueType::null);
  constexpr auto text = cypher::mask_of(cypher::ValueType::text);
  constexpr auto list = cypher::mask_of(cypher::ValueType::list);
  auto const result = function.result & ~null;
  auto const is_within = [](cypher::TypeMask some, cypher::TypeMask all) { return (some & ~all) == 0; };
  constexpr auto first_moment = static_cast<unsigned>(cypher::ValueType::date);
  constexpr auto moments = ~((cypher::TypeMask{1} << first_moment) - 1);
  if (function.aggregation != cypher::Aggregation::none) return "Aggregating";
  if (is_within(result, moments)) return "Temporal";
  if (function.first == text && is_within(result, text | list)) return "String";
  if (is_within(result, list)) return "List";
  if (is_within(result, cypher::number_type) && (function.first & ~cypher::number_type) == 0) return "Numeric";
  return "Scalar";
}

List arguments_of(cypher::Function const& function) {
  List made;
  bool const is_open = function.most_arguments == 255;
  unsigned const shown = is_open ? function.least_arguments : function.most_arguments;
  for (unsigned i = 0; i < shown; ++i) {
    made.emplace_back(cypher::Map{{"name", "input" + std::to_string(i + 1)},
                                  {"type", i == 0 ? types_text(function.first) : std::string{"ANY"}},
                                  {"description", ""},
                                  {"isDeprecated", false}});
  }
  return made;
}

cypher::Procedure functions() {
  auto const rows = [](PropertyGraph const& /*graph*/) {
    Rows made;
    for (auto const& each : cypher::all_functions()) {
      made.push_back({std::string{each.name}, std::string{category_of(each)}, std::string{cypher::doc_of(each)},
                      signature_text(each), true, arguments_of(each), types_text(each.result),
                      each.aggregation != cypher::Aggregation::none, Value{}, Value{}, false, Value{}});
    }
    return made;
  };
  return of_moment("dbms.functions",
                   columns_of({{"name", "STRING"},
                               {"category", "STRING"},
                               {"description", "STRING"},
                               {"signature", "STRING"},
                               {"isBuiltIn", "BOOLEAN"},
                               {"argumentDescription", "LIST"},
                               {"returnDescription", "STRING"},
                               {"aggregating", "BOOLEAN"},
                               {"rolesExecution", "LIST"},
                               {"rolesBoostedExecution", "LIST"},
                               {"isDeprecated", "BOOLEAN"},
                               {"deprecatedBy", "STRING"}}),
                   "The functions of the language.", rows);
}

}  // namespace

std::vector<cypher::Procedure> schema_procedures(std::shared_ptr<TypeProperties const> properties) {
  std::vector<cypher::Procedure> made;
  made.push_back(node_type_properties(std::move(properties)));
  made.push_back(relation_type_properties());
  made.push_back(visualization());
  made.push_back(indexes());
  made.push_back(constraints());
  made.push_back(functions());
  return made;
}

}  // namespace whence::net
