// Names in use, what serves them, and what may be called.

#include "net/cypher/catalog_procedures.hpp"

#include "net/base/version.hpp"
#include "net/cypher/catalog/names_in_use.hpp"
#include "net/cypher/catalog/schema_procedures.hpp"
#include "net/cypher/catalog/server_procedures.hpp"
#include "net/cypher/catalog/type_properties.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using cypher::PropertyGraph;
using cypher::Value;

using Names = std::set<std::string>;
using RowsOutcome = cypher::Outcome<std::unique_ptr<cypher::ProcedureRows>>;

Names names_of_types(std::vector<schema::RecordType> const& types) {
  Names names;
  for (auto const type : types) names.emplace(schema::name_of(type));
  return names;
}

Names labels(PropertyGraph const& graph) {
  auto names = names_of_types(record_types_in_use(graph));
  if (!names.empty()) names.emplace(cypher::node_label_name);
  return names;
}

Names relation_types(PropertyGraph const& graph) {
  Names names;
  auto const types = edge_types_in_use(graph);
  for (auto const type : types) names.emplace(schema::name_of(type));
  if (has_influence(types)) names.emplace(cypher::influences_name);
  return names;
}

/// One column of names.
cypher::Procedure names_procedure(std::string name, std::string column, std::string doc,
                                  std::function<Names(PropertyGraph const&)> names) {
  return {.name = std::move(name),
          .parameters = {},
          .columns = {{.name = std::move(column), .type = "STRING", .doc = {}}},
          .call = [names = std::move(names)](cypher::ProcedureContext const& context,
                                             cypher::List const& /*arguments*/) -> RowsOutcome {
            std::vector<cypher::List> rows;
            for (auto const& each : names(context.graph)) rows.push_back({Value{each}});
            return cypher::rows_of(std::move(rows));
          },
          .doc = std::move(doc)};
}

void add_names(Names& made, TypePropertyMap const& properties) {
  for (auto const& [name, property] : properties) made.emplace(name);
}

cypher::Procedure property_keys(std::shared_ptr<TypeProperties const> properties) {
  auto const names = [properties = std::move(properties)](PropertyGraph const& graph) {
    Names made;
    for (auto const type : record_types_in_use(graph)) add_names(made, properties->of(type));
    auto const edges = edge_types_in_use(graph);
    for (auto const type : edges) add_names(made, relation_properties_of(type));
    if (has_influence(edges)) add_names(made, relation_properties_of(std::nullopt));
    return made;
  };
  return names_procedure("db.propertyKeys", "propertyKey", "The properties that nodes and relations may have.", names);
}

cypher::Procedure components() {
  return {.name = "dbms.components",
          .parameters = {},
          .columns = {{.name = "name", .type = "STRING", .doc = {}},
                      {.name = "versions", .type = "LIST", .doc = {}},
                      {.name = "edition", .type = "STRING", .doc = {}}},
          .call = [](cypher::ProcedureContext const& /*context*/, cypher::List const& /*arguments*/) -> RowsOutcome {
            std::vector<cypher::List> rows;
            rows.push_back({"Whence", cypher::List{std::string{version()}}, "community"});
            return cypher::rows_of(std::move(rows));
          },
          .doc = "What serves the graph, and its version.",
          .rows_estimate = 1};
}

Value options_of(cypher::Procedure const& procedure) {
  cypher::List made;
  for (auto const& option : procedure.options)
    made.push_back(cypher::Map{{"name", option.name}, {"type", option.type}, {"description", option.doc}});
  return made;
}

/// Parameters or columns as Neo4j describes them.
Value described(std::vector<cypher::ProcedureField> const& fields) {
  cypher::List made;
  for (auto const& field : fields) {
    made.push_back(
        cypher::Map{{"name", field.name}, {"type", field.type}, {"description", field.doc}, {"isDeprecated", false}});
  }
  return made;
}

cypher::Procedure procedures(std::function<std::vector<cypher::Procedure const*>()> listed) {
  return {.name = "dbms.procedures",
          .parameters = {},
          .columns = {{.name = "name", .type = "STRING", .doc = {}},
                      {.name = "description", .type = "STRING", .doc = {}},
                      {.name = "mode", .type = "STRING", .doc = {}},
                      {.name = "worksOnSystem", .type = "BOOLEAN", .doc = {}},
                      {.name = "signature", .type = "STRING", .doc = {}},
                      {.name = "argumentDescription", .type = "LIST", .doc = {}},
                      {.name = "returnDescription", .type = "LIST", .doc = {}},
                      {.name = "admin", .type = "BOOLEAN", .doc = {}},
                      {.name = "rolesExecution", .type = "LIST", .doc = {}},
                      {.name = "rolesBoostedExecution", .type = "LIST", .doc = {}},
                      {.name = "isDeprecated", .type = "BOOLEAN", .doc = {}},
                      {.name = "deprecatedBy", .type = "STRING", .doc = {}},
                      {.name = "option", .type = "MAP", .doc = {}},
                      {.name = "options", .type = "LIST", .doc = {}}},
          .call = [listed = std::move(listed)](cypher::ProcedureContext const& /*context*/,
                                               cypher::List const& /*arguments*/) -> RowsOutcome {
            std::vector<cypher::List> rows;
            for (auto const* const each : listed()) {
              rows.push_back({each->name, each->doc, "READ", true, cypher::signature_of(*each),
                              described(each->parameters), described(each->columns), false, Value{}, Value{}, false,
                              Value{}, cypher::Map{{"deprecated", false}}, options_of(*each)});
            }
            return cypher::rows_of(std::move(rows));
          },
          .doc = "The procedures that a query may call.",
          .rows_estimate = 50};
}

}  // namespace

std::vector<cypher::Procedure> catalog_procedures(boost::json::object const& schemas,
                                                  std::function<std::vector<cypher::Procedure const*>()> listed) {
  std::vector<cypher::Procedure> made;
  made.push_back(names_procedure("db.labels", "label", "The labels that nodes have.", labels));
  made.push_back(
      names_procedure("db.relationshipTypes", "relationshipType", "The types that relations have.", relation_types));
  auto const properties = std::make_shared<TypeProperties const>(schemas);
  made.push_back(property_keys(properties));
  made.push_back(components());
  made.push_back(procedures(std::move(listed)));
  for (auto& each : schema_procedures(properties)) made.push_back(std::move(each));
  for (auto& each : server_procedures()) made.push_back(std::move(each));
  return made;
}

}  // namespace whence::net
