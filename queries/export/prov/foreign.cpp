// Sorting statements into the sections they came from.

#include "queries/export/prov/foreign.hpp"

#include "schema/json/json.hpp"
#include "schema/prov/statements.hpp"
#include "schema/prov/values.hpp"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::exports {
namespace {

ForeignEntry& entry_of(std::vector<ForeignEntry>& entries, std::string_view key) {
  auto const found = std::ranges::find(entries, key, &ForeignEntry::key);
  if (!key.empty() && found != entries.end()) return *found;
  return entries.emplace_back(ForeignEntry{.key = std::string(key)});
}

/// The new names of prefixes whose names another document uses with another meaning.
using Renamed = std::map<std::string, std::string>;

std::string renamed(std::string_view name, Renamed const& prefixes) {
  auto const colon = name.find(':');
  bool const has_prefix = colon != std::string_view::npos;
  auto const found = prefixes.find(has_prefix ? std::string(name.substr(0, colon)) : "default");
  if (found == prefixes.end()) return std::string(name);
  return found->second + ":" + std::string(has_prefix ? name.substr(colon + 1) : name);
}

/// Whether a member is an argument that names something.
bool is_name_argument(std::string_view member) {
  constexpr std::array<std::string_view, 8> plain = {"prov:label", "prov:value", "prov:location",  "prov:role",
                                                     "prov:type",  "prov:time",  "prov:startTime", "prov:endTime"};
  return member.starts_with("prov:") && std::ranges::find(plain, member) == plain.end();
}

namespace bj = boost::json;

bj::value renamed_value(bj::value const& value, bool is_name, Renamed const& prefixes) {
  if (auto const* const text = value.if_string()) {
    return is_name ? bj::value(renamed(*text, prefixes)) : value;
  }
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
  if (schema::json::is_qname_type(type_name)) {
    if (auto* const text = result.if_contains("$"); text != nullptr && text->is_string()) {
      *text = renamed(text->get_string(), prefixes);
    }
  }
  result["type"] = renamed(type_name, prefixes);
  return result;
}

bj::value renamed_attributes(bj::value const& value, Renamed const& prefixes) {
  if (auto const* const list = value.if_array()) {
    bj::array result;
    for (auto const& each : *list) result.push_back(renamed_attributes(each, prefixes));
    return result;
  }
  bj::object result;
  for (auto const& member : value.get_object()) {
    std::string_view const name = member.key();
    bool const is_name = is_name_argument(name);
    // The vocabulary's own names are never renamed: its prefix may not be taken.
    auto const key = name.starts_with("prov:") ? std::string(name) : renamed(name, prefixes);
    result[key] = renamed_value(member.value(), is_name, prefixes);
  }
  return result;
}

/// Attributes with renamed prefixes; as they are where none is renamed.
std::string renamed_text(std::string_view attributes, Renamed const& prefixes) {
  constexpr std::size_t depth_max = 128;
  if (prefixes.empty()) return std::string(attributes);
  auto const document = schema::json::parse(attributes, depth_max);
  return document ? schema::json::to_sorted_text(renamed_attributes(document->value, prefixes))
                  : std::string(attributes);
}

}  // namespace

std::string ForeignEntry::json() const {
  if (!is_array && items.size() == 1) return items.front().second;
  std::string text = "[";
  for (auto const& [place, item] : items) {
    if (text.size() > 1) text.push_back(',');
    // A name may have a list in one document and a single statement in another; all of them are kept.
    bool const is_list = item.starts_with('[');
    text.append(is_list ? std::string_view(item).substr(1, item.size() - 2) : std::string_view(item));
  }
  return text + "]";
}

std::string ForeignProv::add_prefix(ForeignPart& part, std::string const& prefix, std::string const& iri) {
  auto const is_free = [&](std::string const& name) {
    auto const taken = part.prefixes.find(name);
    return taken == part.prefixes.end() || taken->second == iri;
  };
  auto const wanted = writable(prefix);
  std::string name = wanted;
  for (int number = 2; !is_free(name); ++number) {
    name = (prefix == "default" ? std::string("ns") : wanted) + "_" + std::to_string(number);
  }
  part.prefixes.emplace(name, iri);
  return name;
}

std::string ForeignProv::writable(std::string const& prefix) const {
  bool const is_reserved = std::ranges::find(reserved_, prefix) != reserved_.end();
  return is_reserved ? prefix + "_ns" : prefix;
}

void ForeignProv::reserve_prefix(std::string const& prefix, std::string const& iri) {
  document_.prefixes.insert_or_assign(prefix, iri);
}

void ForeignProv::add(schema::Record const& record) {
  auto const& node = *schema::json::prov_node_of(record);
  std::string bundle;
  if (node.bundle) {
    bundle = *node.bundle;
    if (auto const own = schema::json::prov_bundle_prefix(node)) {
      auto const name = add_prefix(document_, own->first, own->second);
      if (name != own->first) bundle = renamed(bundle, {{own->first, name}});
    }
  }
  auto& part = node.bundle ? bundles_[bundle] : document_;
  Renamed prefixes;
  if (node.prefixes) {
    for (auto const& [prefix, iri] : node.prefixes->entries) {
      auto const name = add_prefix(part, prefix, iri);
      if (name != prefix) prefixes.emplace(prefix, name);
    }
  }
  schema::json::for_each_prov_statement(record, [&](schema::json::ProvStatement const& statement) {
    auto const key = statement.key.empty() ? std::string{} : renamed(statement.key, prefixes);
    auto& entry = entry_of(part.sections[std::string(statement.section)], key);
    entry.is_array = entry.is_array || statement.place.has_value();
    entry.items.emplace_back(statement.place.value_or(0), renamed_text(statement.attributes, prefixes));
    std::ranges::stable_sort(entry.items, {}, &std::pair<std::int64_t, std::string>::first);
  });
}

}  // namespace whence::exports
