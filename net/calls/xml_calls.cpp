// xml.validate, xml.build and xml.instructions.

#include "net/calls/xml_calls.hpp"

#include "net/params/json_schema.hpp"
#include "net/params/params.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/xml/contract.hpp"
#include "schema/xml/instructions.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace whence::net {

namespace {

namespace json = boost::json;

using schema::Path;
using schema::Report;
using schema::XmlFormat;
using schema::XmlParts;

template <class Plain>
void write_value(Writer& out, Plain const& value) {
  out.value(value);
}
template <class Item>
void write_value(Writer& out, std::vector<Item> const& items);
template <schema::Described T>
void write_value(Writer& out, T const& value);

template <schema::Described T>
void write_members(Writer& out, T const& value) {
  schema::for_each_field<T>([&](auto const& field) {
    out.key(field.name);
    write_value(out, value.*field.member);
  });
}

template <class Item>
void write_value(Writer& out, std::vector<Item> const& items) {
  out.begin_array();
  for (Item const& item : items) write_value(out, item);
  out.end_array();
}

template <schema::Described T>
void write_value(Writer& out, T const& value) {
  out.begin_object();
  write_members(out, value);
  out.end_object();
}

/// The member beside those of the field tables: which of the two documents the parts are of.
constexpr std::string_view format_member = "format";

/// Reads the members of parts from `object`, which may also have their format.
template <class Parts>
XmlParts decode_parts(json::object const& object, Path const& at, Report& report) {
  Parts parts;
  schema::json::decode_members(object, parts, at, report);
  schema::json::refuse_unknown<Parts>(object, at, report, format_member);
  return parts;
}

XmlParts decode_parts(XmlFormat format, json::object const& object, Path const& at, Report& report) {
  return format == XmlFormat::llm_query ? decode_parts<schema::QueryParts>(object, at, report)
                                        : decode_parts<schema::ResponseParts>(object, at, report);
}

/// The format named in `object`; nothing where there is none, or an unknown one, which is then reported.
std::optional<XmlFormat> format_in(json::object const& object, Path const& at, Report& report) {
  json::value const* const value = object.if_contains(format_member);
  if (value == nullptr || value->is_null()) return std::nullopt;
  Path const place{at, format_member};
  auto format = XmlFormat::llm_query;
  schema::json::decode_value(*value, format, {}, place, report);
  if (report.has(place)) return std::nullopt;
  return format;
}

/// The parts under `parts`. Their format is in them or beside them; where it is in both places, both must agree.
std::optional<XmlParts> parts_within(json::value const& value, std::optional<XmlFormat> beside, Report& report) {
  Path const root;
  Path const at{root, "parts"};
  json::object const* const object = value.if_object();
  if (object == nullptr) {
    schema::json::refuse(value, "type", at, report, "must be an object");
    return std::nullopt;
  }
  auto const own = format_in(*object, at, report);
  Path const format_at{at, format_member};
  if (own && beside && *own != *beside) {
    schema::json::refuse(object->at(format_member), "format", format_at, report, "is not the format beside the parts");
  }
  auto const format = own ? own : beside;
  if (!format) {
    report.add(format_at, "required", "", "is required");
    return std::nullopt;
  }
  return decode_parts(*format, *object, at, report);
}

Result<XmlParts> parse_parts(json::object const& params) {
  std::vector<Violation> violations;
  Report report(violations, Errc::invalid_params);
  Path const root;
  auto const format = format_in(params, root, report);
  std::optional<XmlParts> parts;
  json::value const* const within = params.if_contains("parts");
  if (within != nullptr && !within->is_null()) {
    schema::json::refuse_unknown<BuildParams>(params, root, report);
    parts = parts_within(*within, format, report);
  } else if (format) {
    json::object members = params;
    members.erase("parts");
    parts = decode_parts(*format, members, root, report);
  } else {
    report.add(Path{root, format_member}, "required", "", "is required, or parts are");
  }
  if (!violations.empty()) return error_from(std::move(violations));
  return *std::move(parts);
}

void write_warnings(Writer& out, std::vector<Violation> const& warnings) {
  out.begin_array();
  for (Violation const& warning : warnings) {
    out.begin_object().member("rule", warning.rule);
    if (warning.xml) out.member("line", warning.xml->line).member("column", warning.xml->column);
    out.member("path", warning.path).member("message", warning.message).end_object();
  }
  out.end_array();
}

/// The members of `T` as descriptors of which none is required: which are, the format decides.
template <schema::Described T>
void write_optional_descriptors(Writer& out) {
  schema::for_each_field<T>([&](auto const& field) { write_descriptor(out, field, field.rule, false); });
}

}  // namespace

void write_parts(Writer& out, XmlParts const& parts) {
  out.begin_object().member(format_member, name_of(format_of(parts)));
  std::visit([&out](auto const& each) { write_members(out, each); }, parts);
  out.end_object();
}

Result<std::string> validate_xml(ServiceState& /*service*/, json::object const& params, Progress const& /*progress*/) {
  auto const asked = parse_params<ValidateParams>(params);
  if (!asked) return asked.error();
  auto const document = schema::xml::read(asked->xml, asked->format);
  if (!document) return document.error();
  std::string text;
  Writer out(text);
  out.begin_object().member("valid", true).member(format_member, name_of(format_of(document->parts)));
  out.key("parts");
  write_parts(out, document->parts);
  out.key("warnings");
  write_warnings(out, document->warnings);
  out.end_object();
  return text;
}

Result<std::string> build_xml(ServiceState& /*service*/, json::object const& params, Progress const& /*progress*/) {
  auto const parts = parse_parts(params);
  if (!parts) return parts.error();
  auto const xml = schema::xml::write(*parts);
  if (!xml) return xml.error();
  std::string text;
  Writer(text).begin_object().member("xml", *xml).end_object();
  return text;
}

Result<std::string> xml_instructions(ServiceState& /*service*/, json::object const& params,
                                     Progress const& /*progress*/) {
  if (auto const asked = parse_params<NoParams>(params); !asked) return asked.error();
  std::string text;
  Writer(text)
      .begin_object()
      .member("version", schema::limits::xml_schema_version)
      .member("text", std::string_view(schema::xml::instructions()))
      .end_object();
  return text;
}

void write_build_params(Writer& out) {
  write_descriptors<BuildParams>(out);
  write_optional_descriptors<schema::QueryParts>(out);
  write_optional_descriptors<schema::ResponseParts>(out);
}

}  // namespace whence::net
