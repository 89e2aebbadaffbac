#pragma once
// The properties of nodes by their record type: members of the record, and what the graph knows of each node.

#include "queries/cypher/whence/view_graph.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// A property as tools for Neo4j know it.
struct TypeProperty {
  /// "String", "Long", "Double", "Boolean", lists of them ("StringArray", ...), "List" of other values, "Map"; several
  /// where values differ.
  std::vector<std::string> types = {};
  /// Each node has it, unless the content of its record is gone.
  bool is_mandatory = false;
};

using TypePropertyMap = std::map<std::string, TypeProperty, std::less<>>;

/// The members of each record type, read from the schemas of the records. Any thread may use it.
class TypeProperties {
 public:
  explicit TypeProperties(boost::json::object const& schemas);

  [[nodiscard]] TypePropertyMap const& of(schema::RecordType type) const { return properties_.at(type); }

 private:
  std::map<schema::RecordType, TypePropertyMap> properties_;
};

/// Of relations of a type; of no type: those of `INFLUENCES`.
[[nodiscard]] TypePropertyMap relation_properties_of(std::optional<schema::EdgeType> type);

}  // namespace whence::net
