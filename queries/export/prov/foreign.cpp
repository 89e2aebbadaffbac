// Sorting statements into the sections they came from.

#include "queries/export/prov/foreign.hpp"

#include "queries/export/prov/grammar.hpp"
#include "queries/export/prov/qualified.hpp"
#include "schema/json/json.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/renaming.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::exports {
namespace {

ForeignEntry& entry_of(std::vector<ForeignEntry>& entries, std::string_view key) {
  auto const found = std::ranges::find(entries, key, &ForeignEntry::key);
  if (!key.empty() && found != entries.end()) return *found;
  return entries.emplace_back(ForeignEntry{.key = std::string(key)});
}

std::string prefix_in(std::string_view name) {
  auto const colon = name.find(':');
  return colon == std::string_view::npos ? "default" : std::string(name.substr(0, colon));
}

/// The prefixes that a record uses without a declaration: such a name is its own IRI.
std::set<std::string> undeclared_prefixes(schema::ProvNode const& node) {
  std::set<std::string> used;
  auto const take = [&](std::string_view name) { used.insert(prefix_in(name)); };
  auto const take_all = [&](std::string const& json) {
    auto const document = schema::json::parse(json);
    if (!document) return;
    auto const* const list = document->value.if_array();
    auto const* const one = document->value.if_object();
    if (one != nullptr) schema::json::for_each_name_in(*one, take);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (auto const* const each = (*list)[i].if_object()) schema::json::for_each_name_in(*each, take);
    }
  };
  if (node.attributes || node.relations) take(node.qname);
  if (node.attributes) take_all(node.attributes->json);
  for (auto const& each : node.relations.value_or(std::vector<schema::ProvRelation>{})) {
    if (each.id && !each.id->starts_with("_:")) take(*each.id);
    take_all(each.attributes.json);
  }
  for (auto const* const known : {"prov", "xsd"}) used.erase(known);
  if (!node.prefixes) return used;
  for (auto const& [prefix, iri] : node.prefixes->entries) used.erase(prefix);
  return used;
}

/// A name for what a ref means, with a prefix of `node` where one fits. Nothing where the id is not made of a name.
std::optional<std::string> name_of(std::string const& text, schema::ProvNode const& node) {
  auto const ref = schema::parse_ref(text);
  if (!ref) return std::nullopt;
  if (!schema::is_prov(ref->type)) return qualified_name(schema::name_of(ref->type), ref->id);
  auto const iri = ref->id.substr(0, ref->id.find("#bundle="));
  if (iri.starts_with("sha256-")) return std::nullopt;
  std::pair<std::string, std::string> const* best = nullptr;
  auto const prefixes = node.prefixes.value_or(schema::PrefixMap{});
  for (auto const& entry : prefixes.entries) {
    bool const fits = iri.size() > entry.second.size() && iri.starts_with(entry.second);
    if (fits && (best == nullptr || entry.second.size() > best->second.size())) best = &entry;
  }
  if (best == nullptr) return iri;
  auto const local = iri.substr(best->second.size());
  return best->first == "default" ? local : best->first + ":" + local;
}

/// Whether compact attributes have a member. (A text in them has its quotes escaped.)
bool has_member(std::string const& json, std::string_view name) {
  return json.find("\"" + std::string(name) + "\":") != std::string::npos;
}

/// What a relation says, with the arguments that a program left out which wrote refs alone.
std::string whole_attributes(schema::ProvNode const& node, schema::ProvRelation const& relation) {
  auto const* const row = schema::find_prov_relation(relation.relation);
  auto const& json = relation.attributes.json;
  bool const has_objects = relation.other || (relation.others && !relation.others->empty());
  bool const has_further = relation.further && relation.further->size() == 1;
  if (row == nullptr || (!has_objects && !has_further)) return json;
  bool const lacks_object = has_objects && !has_member(json, row->object);
  bool const lacks_further = has_further && !row->further.empty() && !has_member(json, row->further) &&
                             !has_member(json, "prov:usage") && !has_member(json, "prov:generation");
  if (has_member(json, row->subject) && !lacks_object && !lacks_further) return json;
  auto const document = schema::json::parse_with_integers(json);
  if (!document || !document->value.is_object()) return json;
  auto members = document->value.get_object();
  if (!members.contains(row->subject)) members[row->subject] = node.qname;
  auto const put = [&](std::string_view argument, std::string const& ref) {
    if (auto const name = name_of(ref, node)) members[argument] = *name;
  };
  if (lacks_object && relation.other) put(row->object, *relation.other);
  if (lacks_object && relation.others) {
    boost::json::array names;
    for (auto const& each : *relation.others) {
      if (auto const name = name_of(each, node)) names.emplace_back(*name);
    }
    members[row->object] = std::move(names);
  }
  if (lacks_further) put(row->further, relation.further->front());
  return schema::json::to_sorted_text(boost::json::value(std::move(members)));
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
  meanings_.reset();
  return name;
}

std::string ForeignProv::writable(std::string const& prefix) const {
  if (reserved_.empty()) return prefix;
  bool const is_reserved = std::ranges::find(reserved_, prefix) != reserved_.end();
  return is_reserved ? prefix + "_ns" : prov_n_prefix(prefix);
}

void ForeignProv::reserve_prefix(std::string const& prefix, std::string const& iri) {
  document_.prefixes.insert_or_assign(prefix, iri);
  own_.insert(prefix);
  meanings_.reset();
}

/// A name of the document that no node of the graph has: names of one thing in a section would be one member twice.
std::string ForeignProv::beside_own(std::string const& key) {
  auto const colon = key.find(':');
  if (colon == std::string::npos || !own_.contains(std::string_view(key).substr(0, colon))) return key;
  auto const prefix = key.substr(0, colon);
  auto const iri = document_.prefixes.at(prefix);
  for (int number = 2;; ++number) {
    auto const name = prefix + "_" + std::to_string(number);
    if (document_.prefixes.try_emplace(name, iri).first->second != iri) continue;
    meanings_.reset();
    return name + key.substr(colon);
  }
}

std::vector<ForeignProv::Meaning> ForeignProv::meanings() const {
  std::map<std::string_view, Meaning> by_iri;
  for (auto const& [prefix, iri] : document_.prefixes) {
    auto& meaning = by_iri.try_emplace(iri, Meaning{.iri = iri}).first->second;
    if (prefix == "default") {
      meaning.is_default_first = !meaning.prefix;
    } else if (!meaning.prefix) {
      meaning.prefix = prefix;
    }
  }
  std::vector<Meaning> all;
  all.reserve(by_iri.size());
  for (auto& [iri, meaning] : by_iri) {
    auto shorter = all.empty() ? std::nullopt : std::optional{all.size() - 1};
    while (shorter && !iri.starts_with(all[*shorter].iri)) shorter = all[*shorter].shorter;
    meaning.shorter = shorter;
    all.push_back(std::move(meaning));
  }
  return all;
}

void ForeignProv::append_name(std::string& out, std::string_view ref) const {
  auto const iri = ref.substr(ref.find(':') + 1);
  if (iri.find("#bundle=") != std::string_view::npos || iri.starts_with("sha256-")) {
    return append_qualified(out, "whence", ref);
  }
  if (!meanings_) meanings_ = meanings();
  // What the IRI begins with is not after it, and the last that is not after it begins with that as well.
  auto const after =
      std::ranges::upper_bound(*meanings_, iri, {}, [](Meaning const& each) -> std::string_view { return each.iri; });
  auto const count = static_cast<std::size_t>(after - meanings_->begin());
  auto at = count == 0 ? std::nullopt : std::optional{count - 1};
  std::size_t common = 0;
  if (at) {
    auto const& before = (*meanings_)[*at].iri;
    common = static_cast<std::size_t>(std::ranges::mismatch(before, iri).in1 - before.begin());
  }
  auto const colon = iri.rfind(':');
  auto local = iri;
  for (; at; at = (*meanings_)[*at].shorter) {
    auto const& meaning = (*meanings_)[*at];
    auto const size = meaning.iri.size();
    if (size > common || size >= iri.size()) continue;
    bool const is_default = meaning.is_default_first && (colon == std::string_view::npos || colon < size);
    if (!is_default && !meaning.prefix) continue;
    if (!is_default) out.append(*meaning.prefix).push_back(':');
    local = iri.substr(size);
    break;
  }
  if (reserved_.empty()) {
    out.append(local);
  } else {
    append_prov_n_local(out, local, PercentCodes::escape);
  }
}

void ForeignProv::add(schema::Record const& record) {
  auto const& node = *schema::json::prov_node_of(record);
  std::string bundle;
  if (node.bundle) {
    bundle = *node.bundle;
    auto const undeclared = node.bundle == node.bundle_iri ? prefix_in(bundle) : std::string{};
    if (!reserved_.empty() && !undeclared.empty()) {
      auto const iri = undeclared == "default" ? std::string{} : undeclared + ":";
      auto const name = add_prefix(document_, undeclared == "_" ? "blank" : undeclared, iri);
      if (name != undeclared) bundle = schema::json::renamed_name(bundle, {{undeclared, name}});
    } else if (auto const own = schema::json::prov_bundle_prefix(node)) {
      auto const name = add_prefix(document_, own->first, own->second);
      if (name != own->first) bundle = schema::json::renamed_name(bundle, {{own->first, name}});
    }
  }
  auto& part = node.bundle ? bundles_[bundle] : document_;
  schema::json::RenamedPrefixes prefixes;
  if (node.prefixes) {
    for (auto const& [prefix, iri] : node.prefixes->entries) {
      auto const name = add_prefix(part, prefix, iri);
      if (name != prefix) prefixes.emplace(prefix, name);
    }
  }
  if (!reserved_.empty()) {  // a syntax in which every prefix is declared, and none is a blank node's
    for (auto const& prefix : undeclared_prefixes(node)) {
      auto const iri = prefix == "default" ? std::string{} : prefix + ":";
      auto const name = add_prefix(part, prefix == "_" ? "blank" : prefix, iri);
      if (name != prefix) prefixes.emplace(prefix, name);
    }
  }
  std::size_t relation = 0;
  schema::json::for_each_prov_statement(record, [&](schema::json::ProvStatement const& statement) {
    bool const is_relation = schema::find_prov_relation(statement.section) != nullptr;
    auto const attributes =
        is_relation ? whole_attributes(node, (*node.relations)[relation++]) : std::string(statement.attributes);
    auto key = statement.key.empty() ? std::string{} : schema::json::renamed_name(statement.key, prefixes);
    if (&part == &document_ && !is_relation) key = beside_own(key);
    auto& entry = entry_of(part.sections[std::string(statement.section)], key);
    entry.is_array = entry.is_array || statement.place.has_value();
    entry.items.emplace_back(statement.place.value_or(0), schema::json::renamed_attributes(attributes, prefixes));
    std::ranges::stable_sort(entry.items, {}, &std::pair<std::int64_t, std::string>::first);
  });
}

}  // namespace whence::exports
