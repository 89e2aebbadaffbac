// JSON Schema of params and results to parameters and columns.

#include "net/cypher/catalog/method_shape.hpp"

#include "net/rpc/answer_schemas.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
namespace json = boost::json;
using schema::json::text_at;

/// Members of an answer that are about the answer, not about the graph; `counts` are what `count(*)` gives.
constexpr std::array<std::string_view, 6> about_the_answer = {"tx",     "complete", "reason",
                                                              "cursor", "counts",   "warnings"};
/// Members of a node that the NODE value has itself.
constexpr std::array<std::string_view, 9> of_the_node = {"ref",    "type",   "id",    "record",     "expired",
                                                         "purged", "status", "edges", "edges_total"};
/// Options that only change which of these members are there.
constexpr std::string_view shows_members = "include";

bool is_in(std::span<std::string_view const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// What a `$ref` names: "Node"; empty where the schema is none.
std::string_view form_of(json::object const& schema) {
  auto const* const ref = schema.if_contains("$ref");
  if (ref == nullptr) return {};
  std::string_view const text = ref->get_string();
  return text.substr(text.rfind('/') + 1);
}

/// The schema without `null` as an alternative.
json::object const& present(json::object const& schema) {
  auto const* const either = schema.if_contains("anyOf");
  if (either == nullptr) return schema;
  json::object const* only = nullptr;
  for (auto const& each : either->get_array()) {
    if (text_at(each.get_object(), "type") == "null") continue;
    if (only != nullptr) return schema;
    only = &each.get_object();
  }
  return only != nullptr ? *only : schema;
}

json::object const* items_of(json::object const& schema) {
  auto const* const items = text_at(schema, "type") == "array" ? schema.if_contains("items") : nullptr;
  return items != nullptr ? &items->get_object() : nullptr;
}

constexpr std::string_view time_format = "date-time";

MemberForm member_form(json::object const& schema) {
  auto const& one = present(schema);
  if (auto const* const items = items_of(one)) return member_form(*items);
  if (form_of(one) == "Ref") return MemberForm::ref;
  if (form_of(one) == "Edge") return MemberForm::edge;
  if (text_at(one, "format") == time_format) return MemberForm::time;
  return text_at(one, "type") == "number" ? MemberForm::real : MemberForm::plain;
}

/// The type of what an answer has here, as a column.
std::string column_type(json::object const& schema) {
  auto const& one = present(schema);
  auto const form = form_of(one);
  if (form == "Ref") return "NODE";
  if (form == "Edge") return "RELATIONSHIP";
  if (form == "RecordType" || form == "EdgeType") return "STRING";
  if (!form.empty() || one.contains("allOf")) return "MAP";
  if (auto const* const constant = one.if_contains("const")) return constant->is_bool() ? "BOOLEAN" : "STRING";
  auto const type = text_at(one, "type");
  if (type == "string") return text_at(one, "format") == time_format ? "DATETIME" : "STRING";
  if (type == "integer") return "INTEGER";
  if (type == "number") return "FLOAT";
  if (type == "boolean") return "BOOLEAN";
  if (type == "array") return "LIST";
  if (type == "object") return "MAP";
  return "ANY";
}

bool names_a_node(json::object const& schema) {
  return text_at(schema, "format") == "ref";
}

/// Of a schema of one item or a list of them the list; else the schema.
json::object const& list_in(json::object const& schema) {
  auto const* const either = schema.if_contains("oneOf");
  if (either == nullptr) return schema;
  for (auto const& each : either->get_array()) {
    if (items_of(each.get_object()) != nullptr) return each.get_object();
  }
  return schema;
}

/// The type of an argument: wider than that of a value, for a node is taken as its ref, and one item for a list of it.
std::string parameter_type(json::object const& schema) {
  if (names_a_node(schema)) return "STRING | NODE";
  if (text_at(present(schema), "format") == time_format) return "STRING | DATETIME";
  auto const* const items = items_of(list_in(schema));
  if (items == nullptr) return column_type(schema);
  return names_a_node(*items) ? "LIST | STRING | NODE" : "LIST";
}

json::array params_of(Method const& method) {
  std::string text;
  schema::json::Writer out{text};
  out.begin_array();
  method.write_params(out);
  out.end_array();
  return std::move(schema::json::parse(text)->value.get_array());
}

json::object result_of(Method const& method) {
  std::string text;
  schema::json::Writer out{text};
  out.begin_object();
  write_result_schema(out, method);
  out.end_object();
  return std::move(schema::json::parse(text)->value.get_object());
}

/// Makes the columns of one method.
class ColumnMaker {
 public:
  ColumnMaker(MethodShape& shape, json::object const& schemas) : shape_(shape), schemas_(schemas) {}

  /// A member's column, or the pair of a ref: the node, and the ref for where the moment has no such node.
  void add(std::vector<ShapeMember>& members, std::string_view name, json::object const& schema) {
    auto const form = member_form(schema);
    if (form == MemberForm::ref && name == "ref") {
      members.push_back({"ref", column("node", "NODE"), MemberForm::ref});
      members.push_back({"ref", column("ref", "STRING"), MemberForm::plain});
      return;
    }
    // What holds nodes and relations is called so.
    auto const shown = form == MemberForm::ref && name == "refs"     ? std::string_view{"nodes"}
                       : form == MemberForm::edge && name == "edges" ? std::string_view{"relations"}
                                                                     : name;
    members.push_back({std::string{name}, column(shown, column_type(schema)), form});
  }

  void add_properties(std::vector<ShapeMember>& members, json::object const& schema, bool is_node) {
    auto const* const properties = schema.if_contains("properties");
    if (properties == nullptr) return;
    for (auto const& each : properties->get_object()) {
      // `$type$` and `$idHash$` are the record's form in JSON.
      if (each.key().starts_with('$') || (is_node && each.key() != "ref" && is_in(of_the_node, each.key()))) continue;
      if (std::ranges::find(members, std::string_view{each.key()}, &ShapeMember::name) != members.end()) continue;
      add(members, each.key(), each.value().get_object());
    }
  }

  /// Columns of a list's items.
  void add_items(ShapeList& list, json::object const& schema) {
    if (form_of(schema) == "Edge") {
      list.relation_column = column("relation", "RELATIONSHIP");
      return;
    }
    for (auto const* const kind : {"allOf", "anyOf"}) {  // of one form or another: the members of each
      auto const* const parts = schema.if_contains(kind);
      if (parts == nullptr) continue;
      for (auto const& part : parts->get_array()) add_items(list, part.get_object());
      return;
    }
    auto const form = form_of(schema);
    add_properties(list.members, form.empty() ? schema : schemas_.at(form).get_object(), form == "Node");
  }

  std::size_t column(std::string_view name, std::string_view type) {
    auto const found = std::ranges::find(shape_.columns, name, &cypher::ProcedureField::name);
    if (found == shape_.columns.end()) {
      shape_.columns.push_back({.name = std::string{name}, .type = std::string{type}, .doc = {}});
      return shape_.columns.size() - 1;
    }
    if (found->type != type) found->type = "ANY";  // two lists have a member of this name
    return static_cast<std::size_t>(found - shape_.columns.begin());
  }

 private:
  MethodShape& shape_;
  json::object const& schemas_;
};

bool is_listed(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    auto const end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

/// Of a whole answer: the list of objects that is all that it always has.
std::string_view only_list(json::object const& result) {
  std::string_view list;
  for (auto const& each : result.at("required").get_array()) {
    std::string_view const name = each.get_string();
    if (is_in(about_the_answer, name)) continue;
    if (!list.empty()) return {};
    list = name;
  }
  if (list.empty()) return {};
  auto const* const items = items_of(result.at("properties").at(list).get_object());
  bool const has_objects = items != nullptr && (items->contains("properties") || !form_of(*items).empty());
  return has_objects ? list : std::string_view{};
}

void add_parameters(MethodShape& shape, Method const& method) {
  for (auto const& each : params_of(method)) {
    auto const& schema = each.at("schema").get_object();
    bool const is_required = each.at("required").get_bool();
    cypher::ProcedureField field{.name = std::string{each.at("name").get_string()},
                                 .type = parameter_type(schema),
                                 .is_optional = !is_required,
                                 .doc = std::string{each.at("description").get_string()}};
    if (is_required) {
      shape.parameters.push_back(std::move(field));
    } else if (field.name != shows_members) {
      shape.options.push_back(std::move(field));
    }
  }
}

}  // namespace

MethodShape shape_of(Method const& method, json::object const& schemas) {
  MethodShape shape;
  add_parameters(shape, method);
  auto const result = result_of(method);
  auto const& properties = result.at("properties").get_object();
  auto const rows = method.shape == Shape::whole ? only_list(result) : method.lists;
  ColumnMaker maker{shape, schemas};
  for (auto const& each : properties) {
    if (!is_listed(rows, each.key())) continue;
    auto& list = shape.lists.emplace_back(ShapeList{.name = std::string{each.key()}});
    maker.add_items(list, *items_of(each.value().get_object()));
  }
  for (auto const& each : properties) {
    if (is_listed(rows, each.key()) || is_in(about_the_answer, each.key())) continue;
    maker.add(shape.beside, each.key(), each.value().get_object());
  }
  if (shape.lists.size() > 1) shape.list_column = maker.column("list", "STRING");
  return shape;
}

json::object answer_schemas() {
  std::string text;
  schema::json::Writer out{text};
  out.begin_object();
  write_schemas(out);
  out.end_object();
  return std::move(schema::json::parse(text)->value.at("schemas").get_object());
}

}  // namespace whence::net
