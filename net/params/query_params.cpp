// Reading the members that only params of queries have.

#include "net/params/query_params.hpp"

#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"
#include "schema/wire/decode.hpp"

#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net {

void decode_value(boost::json::value const& value, AnyJson& into, schema::Rule const& /*rule*/,
                  schema::Path const& /*at*/, schema::Report& /*report*/) {
  into.value = value;
}

void decode_value(boost::json::value const& value, RecordElements& into, schema::Rule const& /*rule*/,
                  schema::Path const& at, schema::Report& report) {
  auto const* const elements = value.if_array();
  if (elements == nullptr) return schema::json::refuse(value, "type", at, report, "must be an array of records");
  if (elements->empty()) return schema::json::refuse(value, "items", at, report, "must hold at least one record");
  into.elements = elements;
}

}  // namespace whence::net

namespace whence::schema {

void decode_value(boost::json::value const& value, std::vector<NodeRef>& into, Rule const& rule, Path const& at,
                  Report& report) {
  if (value.is_string()) return json::decode_value(value, into.emplace_back(), rule, at, report);
  json::decode_value<NodeRef>(value, into, rule, at, report);
}

void decode_value(boost::json::value const& value, queries::AsOf& into, Rule const& rule, Path const& at,
                  Report& report) {
  if (value.is_string()) {
    json::decode_value(value, into.emplace<Time>(), rule, at, report);
  } else if (value.is_number()) {
    std::uint64_t tx = 0;
    json::decode_value(value, tx, rule, at, report);
    into = TxId{tx};
  } else {
    json::refuse(value, "type", at, report, "must be a transaction id or an RFC 3339 time");
  }
}

}  // namespace whence::schema

namespace whence::net {

void decode_value(boost::json::value const& value, Since& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report) {
  auto const* const text = value.if_string();
  if (text != nullptr && *text == "now") return into.moment.reset();
  schema::decode_value(value, into.moment.emplace(), rule, at, report);
}

}  // namespace whence::net

namespace whence::queries {

namespace {

using schema::Path;
using schema::Report;
using schema::json::refuse;

bool is_scalar(boost::json::value const& value) {
  return !value.is_object() && !value.is_array() && !value.is_null();
}

void decode_operand(boost::json::value const& value, Condition& into, Path const& at, Report& report) {
  if (!is_scalar(value)) return refuse(value, "type", at, report, "must be a string, a number or a boolean");
  into.operands.push_back(schema::json::to_text(value));
}

void decode_operands(boost::json::value const& value, Condition& into, Path const& at, Report& report) {
  if (into.op != Condition::Op::in) return decode_operand(value, into, at, report);
  auto const* const items = value.if_array();
  if (items == nullptr) return refuse(value, "type", at, report, "must be an array");
  std::size_t place = 0;
  for (boost::json::value const& item : *items) decode_operand(item, into, Path{at, place++}, report);
}

void decode_conditions_of(std::string_view field, boost::json::value const& value, std::vector<Condition>& into,
                          Path const& at, Report& report) {
  auto const* const operators = value.if_object();
  if (operators == nullptr && is_scalar(value)) {
    return decode_operands(value, into.emplace_back(Condition{std::string{field}, Condition::Op::eq, {}, true}), at,
                           report);
  }
  if (operators == nullptr) return refuse(value, "type", at, report, "must be a value or an object of operators");
  for (auto const& each : *operators) {
    std::string_view const name = each.key();
    if (each.value().is_null()) continue;
    auto const op = schema::find_named<Condition::Op>(name);
    Path const place{at, name};
    if (!op) {
      refuse(each.value(), "operator", place, report,
             "is no operator" + schema::alternatives(name, schema::names_of<Condition::Op>));
      continue;
    }
    decode_operands(each.value(), into.emplace_back(Condition{std::string{field}, *op, {}}), place, report);
  }
}

}  // namespace

void decode_value(boost::json::value const& value, TimeRange& into, schema::Rule const& rule, Path const& at,
                  Report& report) {
  auto const* const ends = value.if_array();
  if (ends == nullptr || ends->size() != 2) return refuse(value, "type", at, report, "must be [from, to]");
  if (!(*ends)[0].is_null()) schema::json::decode_value((*ends)[0], into.from, rule, Path{at, 0U}, report);
  if (!(*ends)[1].is_null()) schema::json::decode_value((*ends)[1], into.to, rule, Path{at, 1U}, report);
}

void decode_value(boost::json::value const& value, std::vector<Condition>& into, schema::Rule const& /*rule*/,
                  Path const& at, Report& report) {
  auto const* const fields = value.if_object();
  if (fields == nullptr) return refuse(value, "type", at, report, "must be an object of fields");
  into.clear();
  for (auto const& each : *fields) {
    if (each.value().is_null()) continue;
    std::string_view const field = each.key();
    decode_conditions_of(field, each.value(), into, Path{at, field}, report);
  }
}

}  // namespace whence::queries
