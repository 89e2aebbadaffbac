#pragma once
// JSON Schema of described structs, from the field tables that parse them: one overload per kind of member.

#include "net/params/query_params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/optional.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"
#include "schema/xml/parts.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

using schema::Rule;
using schema::json::Writer;

/// Selects an overload by type without a value.
template <class T>
struct Kinded {};

/// Each writes the members of a schema into the open object.
void write_schema(Writer& out, Rule const& rule, Kinded<std::string>);
void write_schema(Writer& out, Rule const& rule, Kinded<bool>);
void write_schema(Writer& out, Rule const& rule, Kinded<double>);
inline void write_schema(Writer& out, Rule const& rule, Kinded<float>) {
  write_schema(out, rule, Kinded<double>{});
}
void write_integer_schema(Writer& out, Rule const& rule, std::uint64_t type_max);
inline void write_schema(Writer& out, Rule const& rule, Kinded<schema::EpochMs>) {
  write_integer_schema(out, rule, schema::limits::integer_max);
}
void write_schema(Writer& out, Rule const& rule, Kinded<schema::NodeRef>);
inline void write_schema(Writer& out, Rule const& /*rule*/, Kinded<schema::QuestionSet>) {
  out.member("type", "object");
}
void write_schema(Writer& out, Rule const& rule, Kinded<schema::Time>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::Attributes>);
/// One object, or a list of them.
void write_schema(Writer& out, Rule const& rule, Kinded<schema::ProvAttributes>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::PrefixMap>);
void write_names_schema(Writer& out, std::span<std::string_view const> names);
template <schema::NamedEnum Enum>
void write_schema(Writer& out, Rule const& /*rule*/, Kinded<Enum>) {
  write_names_schema(out, schema::names_of<Enum>);
}
/// Either document's parts, each with its `format`.
void write_schema(Writer& out, Rule const& rule, Kinded<schema::XmlParts>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::RecordType>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::RecordTypeSet>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::EdgeTypeSet>);
void write_schema(Writer& out, Rule const& rule, Kinded<queries::AsOf>);
void write_schema(Writer& out, Rule const& rule, Kinded<queries::TimeRange>);
void write_schema(Writer& out, Rule const& rule, Kinded<std::vector<queries::Condition>>);
/// A lone ref, or a list of them.
void write_schema(Writer& out, Rule const& rule, Kinded<std::vector<schema::NodeRef>>);
void write_schema(Writer& out, Rule const& rule, Kinded<AnyJson>);
void write_schema(Writer& out, Rule const& rule, Kinded<schema::EdgeType>);
void write_schema(Writer& out, Rule const& rule, Kinded<Since>);
void write_schema(Writer& out, Rule const& rule, Kinded<RecordElements>);

template <class Integer>
requires std::same_as<Integer, std::uint32_t> || std::same_as<Integer, std::uint64_t> ||
    std::same_as<Integer, std::int64_t>
void write_schema(Writer& out, Rule const& rule, Kinded<Integer>) {
  write_integer_schema(out, rule, static_cast<std::uint64_t>(std::numeric_limits<Integer>::max()));
}

template <schema::Described T>
void write_schema(Writer& out, Rule const& rule, Kinded<T>);

template <class T>
void write_schema(Writer& out, Rule const& rule, Kinded<std::optional<T>>) {
  write_schema(out, rule, Kinded<T>{});
}

template <class T>
void write_schema(Writer& out, Rule const& rule, Kinded<schema::BoxedOptional<T>>) {
  write_schema(out, rule, Kinded<T>{});
}

template <class T>
void write_list_schema(Writer& out, Rule const& rule) {
  out.member("type", "array");
  if (rule.items_min > 0) out.member("minItems", std::uint64_t{rule.items_min});
  if (rule.items_max != Rule{}.items_max) out.member("maxItems", std::uint64_t{rule.items_max});
  out.key("items").begin_object();
  write_schema(out, rule, Kinded<T>{});
  out.end_object();
}

template <class T>
void write_schema(Writer& out, Rule const& rule, Kinded<std::vector<T>>) {
  write_list_schema<T>(out, rule);
}

/// The schema of each member of `T`, by name, into the open object.
template <schema::Described T>
void write_properties(Writer& out) {
  schema::for_each_field<T>([&](auto const& field) {
    out.key(field.name).begin_object().member("description", field.doc);
    write_schema(out, field.rule, Kinded<typename std::remove_cvref_t<decltype(field)>::member_type>{});
    out.end_object();
  });
}

/// The names of the required members of `T` into the open array.
template <schema::Described T>
void write_required(Writer& out) {
  schema::for_each_field<T>([&](auto const& field) {
    if (field.presence == schema::Presence::required) out.value(field.name);
  });
}

/// `"properties"` and `"required"`; further members are refused.
template <schema::Described T>
void write_schema(Writer& out, Rule const& /*rule*/, Kinded<T>) {
  out.member("type", "object").key("properties").begin_object();
  write_properties<T>(out);
  out.end_object().key("required").begin_array();
  write_required<T>(out);
  out.end_array().member("additionalProperties", false);
}

/// One member as an OpenRPC content descriptor.
template <class Field>
void write_descriptor(Writer& out, Field const& field, Rule const& rule, bool is_required) {
  out.begin_object().member("name", field.name).member("description", field.doc);
  out.member("required", is_required).key("schema").begin_object();
  write_schema(out, rule, Kinded<typename Field::member_type>{});
  out.end_object().end_object();
}

/// Each member of `T` as an OpenRPC content descriptor into the open array, with the bounds of `rule_of(field)`; those
/// that are required first, as OpenRPC demands.
template <schema::Described T, class RuleOf>
void write_descriptors(Writer& out, RuleOf const& rule_of) {
  for (bool const is_required : {true, false}) {
    schema::for_each_field<T>([&](auto const& field) {
      if ((field.presence == schema::Presence::required) != is_required) return;
      write_descriptor(out, field, rule_of(field), is_required);
    });
  }
}

/// The same with the bounds of the table.
template <schema::Described T>
void write_descriptors(Writer& out) {
  write_descriptors<T>(out, [](auto const& field) { return field.rule; });
}

}  // namespace whence::net
