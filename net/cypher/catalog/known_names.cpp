// The names of the tables: record types, edge types, members of records and numbers of edges.

#include "net/cypher/catalog/known_names.hpp"

#include "net/cypher/catalog/method_shape.hpp"
#include "net/cypher/catalog/type_properties.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <optional>
#include <set>
#include <string>

namespace whence::net {

namespace {

class KnownNames {
 public:
  KnownNames() : of_types_{answer_schemas()} {
    names_.labels.push_back(queries::cypher::node_label_name);
    names_.relation_types.push_back(queries::cypher::influences_name);
    for (auto const& row : schema::record_types()) {
      if (!row.is_node) continue;
      names_.labels.push_back(row.name);
      add(of_types_.of(row.type));
    }
    add(relation_properties_of(std::nullopt));
    for (auto const& rule : schema::edge_rules()) {
      names_.relation_types.push_back(schema::name_of(rule.type));
      add(relation_properties_of(rule.type));
    }
    names_.properties.assign(properties_.begin(), properties_.end());
  }

  [[nodiscard]] queries::cypher::NameCatalog const& names() const noexcept { return names_; }

 private:
  void add(TypePropertyMap const& properties) {
    for (auto const& each : properties) properties_.insert(each.first);
  }

  TypeProperties of_types_;
  std::set<std::string> properties_;
  queries::cypher::NameCatalog names_;
};

}  // namespace

queries::cypher::NameCatalog const& known_names() {
  static KnownNames const all;
  return all.names();
}

}  // namespace whence::net
