// Reads `rpc.discover`, and asks for the procedures in the language itself.

#include "tools/cli/query/vocabulary.hpp"

#include "queries/cypher/functions/table.hpp"
#include "schema/json/members.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

std::string described_name(json::value const& described) {
  auto const* const object = described.if_object();
  auto const* const name = object == nullptr ? nullptr : object->if_contains("name");
  return name != nullptr && name->is_string() ? std::string{name->get_string()} : std::string{};
}

/// What every node has beside its record's members.
constexpr std::string_view derived_properties[] = {"ref", "id", "tx", "status", "score", "feedbacks"};

std::vector<std::string> schema_properties(json::object const& schema) {
  std::vector<std::string> names{std::begin(derived_properties), std::end(derived_properties)};
  for (auto const& member : schema::json::object_at(schema, "properties")) {
    std::string name{member.key()};
    if (!name.starts_with('$') && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void take_description(QueryVocabulary& vocabulary, json::object const& described) {
  auto const& types = schema::json::object_at(described, "x-whence-types");
  auto const& schemas = schema::json::object_at(schema::json::object_at(described, "components"), "schemas");
  vocabulary.labels.emplace_back("Node");
  for (auto const& record : schema::json::list_at(types, "records")) {
    auto const name = described_name(record);
    auto const* const is_node = record.as_object().if_contains("is_node");
    if (name.empty() || is_node == nullptr || *is_node != true) continue;
    vocabulary.labels.push_back(name);
    vocabulary.properties[name] = schema_properties(schema::json::object_at(schemas, name));
  }
  for (auto const& edge : schema::json::list_at(types, "edges")) vocabulary.types.push_back(described_name(edge));
  vocabulary.types.emplace_back("INFLUENCES");
}

void take_procedures(QueryVocabulary& vocabulary, json::object const& answer) {
  for (auto const& row : schema::json::list_at(answer, "rows")) {
    auto const* const cells = row.if_array();
    if (cells == nullptr || cells->empty() || !cells->front().is_string()) continue;
    vocabulary.procedures.emplace_back(cells->front().get_string());
  }
}

}  // namespace

QueryVocabulary read_vocabulary(Caller& caller) {
  QueryVocabulary vocabulary;
  vocabulary.relation_properties = {"tx", "type", "weight", "confidence", "score", "version", "similarity", "rank"};
  for (auto const& function : queries::cypher::all_functions()) vocabulary.functions.emplace_back(function.name);
  if (auto const described = caller.call("rpc.discover", json::object{}); described && described->is_object()) {
    take_description(vocabulary, described->get_object());
  }
  json::object const asked{{"cypher", "CALL dbms.procedures() YIELD name RETURN name"}};
  if (auto const found = caller.call("query", asked); found && found->is_object()) {
    take_procedures(vocabulary, found->get_object());
  }
  return vocabulary;
}

}  // namespace whence::tools
