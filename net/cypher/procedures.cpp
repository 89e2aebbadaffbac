// The table of procedures, from the table of methods.

#include "net/cypher/procedures.hpp"

#include "net/cypher/catalog/graph_procedures.hpp"
#include "net/cypher/catalog_procedures.hpp"
#include "net/cypher/method_procedure.hpp"
#include "net/rpc/method.hpp"
#include "schema/base/suggest.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

/// Why a method is no procedure.
cypher::QueryError method_refusal(Method const& method, std::string_view name) {
  if (method.kind == Kind::write || method.role == Role::write) {
    return {.kind = cypher::ErrorKind::writing_refused,
            .detail = std::string{name},
            .message = "'" + std::string{name} + "' writes, and a query only reads"};
  }
  return {.kind = cypher::ErrorKind::procedure_error,
          .detail = "ProcedureNotFound",
          .message = "'" + std::string{method.name} + "' is a method of the server, not a question about the graph"};
}

class MethodProcedures final : public cypher::Procedures {
 public:
  MethodProcedures() {
    auto const schemas = answer_schemas();
    for (auto& each : catalog_procedures(schemas, [this] { return listed(); })) add(std::move(each));
    for (auto& each : graph_procedures()) add(std::move(each));
    for (Method const& method : methods()) {
      if (is_procedure(method)) add(procedure_of(method, shape_of(method, schemas)));
    }
  }

  [[nodiscard]] cypher::Procedure const* find(std::string_view name) const override {
    auto const found = procedures_.find(name);
    return found != procedures_.end() ? &found->second : nullptr;
  }

  [[nodiscard]] cypher::QueryError refusal(std::string_view name) const override {
    if (name.starts_with(procedure_prefix)) {
      if (Method const* const method = find_method(name.substr(procedure_prefix.size())))
        return method_refusal(*method, name);
    }
    auto error = cypher::Procedures::refusal(name);
    std::vector<std::string_view> names;
    for (auto const& each : procedures_) names.push_back(each.first);
    auto const meant = schema::did_you_mean(name, names);
    error.message += meant.empty() ? "; SHOW PROCEDURES lists all" : meant;
    return error;
  }

 private:
  void add(cypher::Procedure procedure) {
    auto name = procedure.name;
    procedures_.emplace(std::move(name), std::move(procedure));
  }

  [[nodiscard]] std::vector<cypher::Procedure const*> listed() const {
    std::vector<cypher::Procedure const*> all;
    for (auto const& each : procedures_) all.push_back(&each.second);
    return all;
  }

  std::map<std::string, cypher::Procedure, std::less<>> procedures_;
};

}  // namespace

cypher::Procedures const& cypher_procedures() {
  static MethodProcedures const all;
  return all;
}

}  // namespace whence::net
