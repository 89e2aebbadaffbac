// Names with other prefixes.
#include "schema/prov/renaming.hpp"

#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/prov/names.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

bj::value renamed_value(bj::value const& value, bool is_name, RenamedPrefixes const& prefixes) {
  if (auto const* const text = value.if_string()) return is_name ? bj::value(renamed_name(*text, prefixes)) : value;
  if (auto const* const list = value.if_array()) {
    bj::array result;
    for (auto const& each : *list) result.push_back(renamed_value(each, is_name, prefixes));
    return result;
  }
  auto const* const literal = value.if_object();
  auto const* const type = literal == nullptr ? nullptr : literal->if_contains("type");
  if (type == nullptr || !type->is_string()) return value;
  bj::object result = *literal;
  std::string_view const type_name = type->get_string();
  auto* const text = is_qname_type(type_name) ? result.if_contains("$") : nullptr;
  if (text != nullptr && text->is_string()) *text = renamed_name(text->get_string(), prefixes);
  result["type"] = renamed_name(type_name, prefixes);
  return result;
}

bj::value renamed_members(bj::value const& value, RenamedPrefixes const& prefixes) {
  if (auto const* const list = value.if_array()) {
    bj::array result;
    for (auto const& each : *list) result.push_back(renamed_members(each, prefixes));
    return result;
  }
  bj::object result;
  for (auto const& member : value.get_object()) {
    std::string_view const name = member.key();
    auto const key = name.starts_with("prov:") ? std::string(name) : renamed_name(name, prefixes);
    result[key] = renamed_value(member.value(), is_prov_argument(name), prefixes);
  }
  return result;
}

}  // namespace

std::string renamed_name(std::string_view name, RenamedPrefixes const& prefixes) {
  auto const colon = name.find(':');
  bool const has_prefix = colon != std::string_view::npos;
  auto const found = prefixes.find(has_prefix ? std::string(name.substr(0, colon)) : "default");
  if (found == prefixes.end()) return std::string(name);
  return found->second + ":" + std::string(has_prefix ? name.substr(colon + 1) : name);
}

std::string renamed_attributes(std::string_view attributes, RenamedPrefixes const& prefixes) {
  if (prefixes.empty()) return std::string(attributes);
  auto const document = parse(attributes);
  return document ? to_sorted_text(renamed_members(document->value, prefixes)) : std::string(attributes);
}

}  // namespace whence::schema::json
