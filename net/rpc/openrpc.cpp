// The OpenRPC document, and the schema of each kind of member.

#include "net/rpc/openrpc.hpp"

#include "net/base/errors.hpp"
#include "net/base/version.hpp"
#include "net/params/json_schema.hpp"
#include "net/params/type_vocabulary.hpp"
#include "net/rpc/answer_schemas.hpp"
#include "net/rpc/examples.hpp"
#include "net/rpc/method.hpp"
#include "schema/base/limits.hpp"

#include <set>

namespace whence::net {

namespace {

void write_number_bounds(Writer& out, Rule const& rule) {
  if (std::isfinite(rule.number_min)) out.member("minimum", rule.number_min);
  if (std::isfinite(rule.number_max)) out.member("maximum", rule.number_max);
}

void write_names(Writer& out, std::vector<std::string_view> const& names) {
  out.member("type", "string").key("enum").begin_array();
  for (std::string_view const name : names) out.value(name);
  out.end_array();
}

void write_as_list(Writer& out, void (*write_item)(Writer&)) {
  out.member("type", "array").key("items").begin_object();
  write_item(out);
  out.end_object();
}

void write_record_type(Writer& out) {
  std::vector<std::string_view> names;
  for (auto const& row : schema::record_types()) {
    if (row.is_node) names.push_back(row.name);
  }
  write_names(out, names);
}

void write_edge_type(Writer& out) {
  std::set<std::string_view> names;  // a type has a row for each pair of ends
  for (auto const& row : schema::edge_rules()) names.insert(schema::name_of(row.type));
  write_names(out, {names.begin(), names.end()});
}

template <class Parts>
void write_parts_schema(Writer& out) {
  out.begin_object().member("type", "object").key("properties").begin_object();
  out.key("format").begin_object().member("const", schema::name_of(Parts::format)).end_object();
  write_properties<Parts>(out);
  out.end_object().key("required").begin_array();
  write_required<Parts>(out);
  out.end_array().member("additionalProperties", false).end_object();
}

void write_time(Writer& out) {
  out.member("type", "string").member("format", "date-time");
}

void write_operand_schema(Writer& out) {
  out.key("type").begin_array().value("string").value("number").value("boolean").end_array();
}

void write_operators(Writer& out) {
  out.member("type", "object").key("properties").begin_object();
  using Op = queries::Condition::Op;
  for (auto const name : schema::names_of<Op>) {
    out.key(name).begin_object();
    if (name == schema::name_of(Op::in))
      write_as_list(out, write_operand_schema);
    else
      write_operand_schema(out);
    out.end_object();
  }
  out.end_object().member("additionalProperties", false);
}

void write_info(Writer& out) {
  out.key("info").begin_object().member("title", "Whence").member("version", version());
  out.member("description", "A provenance engine: what every response was made from, and what became of it.");
  out.end_object();
}

void write_errors(Writer& out) {
  out.key("errors").begin_array();
  for (WireError const& row : wire_errors()) {
    out.begin_object().key("$ref").value("#/components/errors/" + std::string(name_of(row.code))).end_object();
  }
  out.end_array();
}

void write_page_params(Writer& out, std::uint32_t page_max) {
  write_descriptors<PageParams>(
      out, [page_max](auto const& field) { return field.name == "limit" ? limit_rule(page_max) : field.rule; });
}

void write_method(Writer& out, Method const& method, std::uint32_t page_max) {
  out.begin_object().member("name", method.name).member("summary", method.doc);
  out.member("paramStructure", "by-name").key("params").begin_array();
  method.write_params(out);
  if (method.kind == Kind::read) {
    write_descriptors<ReadParams>(out);
    if (method.shape != Shape::whole) write_page_params(out, page_max);
    if (has_pages(method.shape)) write_descriptors<CursorParams>(out);
  }
  out.end_array().key("result").begin_object().member("name", "result").member("description", method.result_doc);
  out.key("schema").begin_object();
  write_result_schema(out, method);
  out.end_object().end_object();
  write_examples(out, method.name);
  write_errors(out);
  out.member("x-role", name_of(method.role)).end_object();
}

}  // namespace

void write_schema(Writer& out, Rule const& rule, Kinded<std::string>) {
  out.member("type", "string");
  if (rule.form == schema::TextForm::id) {
    out.member("minLength", 1).member("maxLength", std::uint64_t{schema::limits::id_bytes_max});
    if (!rule.prefix.empty()) out.member("pattern", "^" + std::string(rule.prefix) + ".");
    return;
  }
  if (rule.form == schema::TextForm::term) {
    out.member("minLength", 1).member("maxLength", std::uint64_t{schema::limits::id_bytes_max});
    return;
  }
  if (rule.length_min > 0) out.member("minLength", std::uint64_t{rule.length_min});
  if (rule.length_max != Rule{}.length_max) out.member("maxLength", std::uint64_t{rule.length_max});
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<bool>) {
  out.member("type", "boolean");
}

void write_schema(Writer& out, Rule const& rule, Kinded<double>) {
  out.member("type", "number");
  write_number_bounds(out, rule);
}

void write_integer_schema(Writer& out, Rule const& rule, std::uint64_t type_max) {
  out.member("type", "integer");
  write_number_bounds(out, rule);
  bool const needs_max = !std::isfinite(rule.number_max) && type_max < schema::limits::integer_max;
  if (needs_max) out.member("maximum", type_max);
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::NodeRef>) {
  out.member("type", "string").member("format", "ref");
  std::string text = "Type:id, or a bare id that starts with one of";
  for (auto const& row : schema::record_types()) {
    if (row.has_bare_refs) text.append(1, ' ').append(row.made_prefix);
  }
  out.member("description", text);
}

void write_schema(Writer& out, Rule const& rule, Kinded<std::vector<schema::NodeRef>>) {
  out.key("oneOf").begin_array().begin_object();
  write_schema(out, rule, Kinded<schema::NodeRef>{});
  out.end_object().begin_object();
  write_list_schema<schema::NodeRef>(out, rule);
  out.end_object().end_array();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::Time>) {
  write_time(out);
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::Attributes>) {
  out.member("type", "object");
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::ProvAttributes>) {
  out.key("type").begin_array().value("object").value("array").end_array();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::PrefixMap>) {
  out.member("type", "object").key("additionalProperties").begin_object().member("type", "string").end_object();
}

void write_names_schema(Writer& out, std::span<std::string_view const> names) {
  write_names(out, {names.begin(), names.end()});
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::XmlParts>) {
  out.key("oneOf").begin_array();
  write_parts_schema<schema::QueryParts>(out);
  write_parts_schema<schema::ResponseParts>(out);
  out.end_array();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::RecordType>) {
  write_record_type(out);
}
void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::RecordTypeSet>) {
  write_as_list(out, write_record_type);
}
void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::EdgeTypeSet>) {
  write_as_list(out, write_edge_type);
}
void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::EdgeType>) {
  write_edge_type(out);
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<queries::AsOf>) {
  out.key("oneOf").begin_array().begin_object().member("type", "integer").member("minimum", 0).end_object();
  out.begin_object();
  write_time(out);
  out.end_object().end_array();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<Since>) {
  out.key("oneOf").begin_array().begin_object().member("type", "integer").member("minimum", 0).end_object();
  out.begin_object();
  write_time(out);
  out.end_object().begin_object().member("const", "now").end_object().end_array();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<queries::TimeRange>) {
  out.member("type", "array").member("minItems", 2).member("maxItems", 2).key("items").begin_object();
  out.key("type").begin_array().value("string").value("null").end_array().member("format", "date-time").end_object();
}

void write_schema(Writer& out, Rule const& /*rule*/, Kinded<std::vector<queries::Condition>>) {
  out.member("type", "object").key("additionalProperties").begin_object().key("anyOf").begin_array();
  out.begin_object();  // a value alone is to be equal
  write_operand_schema(out);
  out.end_object().begin_object();
  write_operators(out);
  out.end_object().end_array().end_object();
}

void write_schema(Writer& /*out*/, Rule const& /*rule*/, Kinded<AnyJson>) {}

void write_schema(Writer& out, Rule const& rule, Kinded<RecordElements>) {
  out.member("type", "array").member("minItems", std::uint64_t{rule.items_min}).key("items").begin_object();
  out.member("$ref", "#/components/schemas/Record").end_object();
}

std::string make_openrpc(std::uint32_t page_max) {
  std::string text;
  Writer out(text);
  out.begin_object().member("openrpc", "1.3.2");
  write_info(out);
  out.key("methods").begin_array();
  for (Method const& method : methods()) write_method(out, method, page_max);
  out.end_array().key("components").begin_object().key("errors").begin_object();
  for (WireError const& row : wire_errors()) {
    out.key(name_of(row.code)).begin_object().member("code", row.number).member("message", row.doc).end_object();
  }
  out.end_object();
  write_schemas(out);
  out.end_object();
  write_types(out);
  write_notifications(out);
  out.end_object();
  return text;
}

}  // namespace whence::net
