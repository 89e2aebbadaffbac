// Names in use, from the counts of the graph and the fields of its record types.

#include "net/cypher/catalog_procedures.hpp"

#include "net/version.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "schema/edges/edge_type.hpp"
#include "schema/records/record_type.hpp"

#include <array>
#include <map>
#include <memory>
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

bool has_nodes(PropertyGraph const& graph, std::string_view label) {
  auto const known = graph.find_label(label);
  return known && graph.count_nodes(known) > 0;
}

/// The names of the record types that there are nodes of.
Names types_in_use(PropertyGraph const& graph) {
  Names names;
  for (auto const& row : schema::record_types()) {
    if (row.is_node && has_nodes(graph, row.name)) names.emplace(row.name);
  }
  return names;
}

Names labels(PropertyGraph const& graph) {
  auto names = types_in_use(graph);
  if (!names.empty()) names.emplace(cypher::node_label_name);
  return names;
}

Names relation_types(PropertyGraph const& graph) {
  Names names;
  for (auto const& row : schema::edge_rules()) {
    auto const type = graph.find_type(schema::name_of(row.type));
    if (!type || graph.count_relations(type) <= 0) continue;
    names.emplace(schema::name_of(row.type));
    if (row.influence != schema::Influence::none) names.emplace(cypher::influences_name);
  }
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

/// The members of each record type.
std::map<std::string, Names> members_of_types(boost::json::object const& schemas) {
  std::map<std::string, Names> made;
  for (auto const& row : schema::record_types()) {
    auto const* const found = row.is_node ? schemas.if_contains(row.name) : nullptr;
    if (found == nullptr) continue;
    auto& members = made[std::string{row.name}];
    for (auto const& each : found->at("properties").get_object()) {
      if (each.key() != "$type$") members.emplace(each.key());
    }
  }
  return made;
}

cypher::Procedure property_keys(boost::json::object const& schemas) {
  auto const members = std::make_shared<std::map<std::string, Names> const>(members_of_types(schemas));
  auto const names = [members](PropertyGraph const& graph) {
    Names made;
    for (auto const& type : types_in_use(graph)) {
      if (auto const found = members->find(type); found != members->end())
        made.insert(found->second.begin(), found->second.end());
      for (auto const own : cypher::ViewGraph::node_property_names()) made.emplace(own);
    }
    if (!relation_types(graph).empty()) {
      for (auto const own : cypher::ViewGraph::relation_property_names()) made.emplace(own);
    }
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

cypher::Procedure procedures(std::function<std::vector<cypher::Procedure const*>()> listed) {
  return {.name = "dbms.procedures",
          .parameters = {},
          .columns = {{.name = "name", .type = "STRING", .doc = {}},
                      {.name = "signature", .type = "STRING", .doc = {}},
                      {.name = "description", .type = "STRING", .doc = {}},
                      {.name = "mode", .type = "STRING", .doc = {}},
                      {.name = "options", .type = "LIST", .doc = {}}},
          .call = [listed = std::move(listed)](cypher::ProcedureContext const& /*context*/,
                                               cypher::List const& /*arguments*/) -> RowsOutcome {
            std::vector<cypher::List> rows;
            for (auto const* const each : listed())
              rows.push_back({each->name, cypher::signature_of(*each), each->doc, "READ", options_of(*each)});
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
  made.push_back(property_keys(schemas));
  made.push_back(components());
  made.push_back(procedures(std::move(listed)));
  return made;
}

}  // namespace whence::net
