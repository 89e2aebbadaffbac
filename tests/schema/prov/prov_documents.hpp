#pragma once
// PROV-JSON documents for tests: what they come to, and writing them back from the statements of their records.

#include "schema/json/json.hpp"
#include "schema/prov/document.hpp"
#include "schema/prov/statements.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"
#include "tests/schema/json/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::test {

namespace bj = boost::json;

/// The records of a document, each validated as any write is.
inline std::vector<Record> records_of(json::ProvImport const& import) {
  std::vector<Record> records;
  for (std::string const& text : import.records) {
    auto incoming = validate(text);
    if (!incoming.is_usable || !incoming.violations.empty()) throw std::runtime_error("not a good record: " + text);
    records.push_back(std::move(incoming.record));
  }
  return records;
}

/// "Type:id" of each record, one a line.
inline std::string refs_of(json::ProvImport const& import) {
  std::string text;
  for (Record const& record : records_of(import)) text += format_ref(type_of(record), node_id_of(record)) + "\n";
  return text;
}

/// "rule path" of each violation, one a line.
inline std::string verdict_of(Result<json::ProvImport> const& import) {
  if (import) return "";
  std::string text;
  for (Violation const& each : import.error().violations) text += each.rule + " " + each.path + "\n";
  return text;
}

/// Adds a statement to a section; statements of one name come together in an array, item by item.
inline void add_statement(bj::object& section, std::string const& key, bj::value attributes,
                          std::optional<std::int64_t> place) {
  if (!place) {
    section[key] = std::move(attributes);
    return;
  }
  auto& list = section[key];
  if (!list.is_array()) list.emplace_array();
  auto& items = list.get_array();
  auto const at = static_cast<std::size_t>(*place);
  if (items.size() <= at) items.resize(at + 1);
  items[at] = std::move(attributes);
}

/// The document that the records came from, as a writer would put it together.
inline bj::object written_back(std::vector<Record> const& records) {
  bj::object document;
  int blank = 0;
  for (Record const& record : records) {
    auto const* const node = json::prov_node_of(record);
    if (node == nullptr) continue;
    auto const object_in = [](bj::object& in, std::string_view name) -> bj::object& {
      auto& member = in[name];
      if (!member.is_object()) member.emplace_object();
      return member.get_object();
    };
    auto const part = [&]() -> bj::object& {
      return node->bundle ? object_in(object_in(document, "bundle"), *node->bundle) : document;
    };
    auto const add_prefix = [&](bj::object& to, std::string const& prefix, std::string const& iri) {
      object_in(to, "prefix")[prefix] = iri;
    };
    if (node->prefixes) {
      for (auto const& [prefix, iri] : node->prefixes->entries) add_prefix(part(), prefix, iri);
    }
    if (auto const own = json::prov_bundle_prefix(*node)) add_prefix(document, own->first, own->second);
    json::for_each_prov_statement(record, [&](json::ProvStatement const& statement) {
      auto& section = object_in(part(), statement.section);
      auto const key = statement.key.empty() ? "_:b" + std::to_string(++blank) : std::string(statement.key);
      add_statement(section, key, json::parse(statement.attributes).value().value, statement.place);
    });
  }
  return document;
}

/// A section with what has blank names as one sorted list: such names mean nothing.
inline bj::object without_blank_names(bj::object const& section) {
  bj::object result;
  std::vector<std::string> blanks;
  for (auto const& entry : section) {
    if (!std::string_view(entry.key()).starts_with("_:")) {
      result[entry.key()] = entry.value();
    } else if (auto const* const list = entry.value().if_array()) {
      for (auto const& each : *list) blanks.push_back(json::to_sorted_text(each));
    } else {
      blanks.push_back(json::to_sorted_text(entry.value()));
    }
  }
  std::ranges::sort(blanks);
  for (std::string const& each : blanks) {
    auto& list = result["_:"];
    if (!list.is_array()) list.emplace_array();
    list.get_array().emplace_back(each);
  }
  return result;
}

/// A document without blank names, prefixes and empty sections, as text that equal ones share.
inline bj::object comparable_part(bj::object const& part) {
  bj::object result;
  for (auto const& section : part) {
    std::string_view const name = section.key();
    if (name == "prefix" || section.value().get_object().empty()) continue;
    if (name == "bundle") {
      auto& bundles = result["bundle"].emplace_object();
      for (auto const& bundle : section.value().get_object()) {
        bundles[bundle.key()] = comparable_part(bundle.value().get_object());
      }
    } else {
      result[name] = without_blank_names(section.value().get_object());
    }
  }
  return result;
}

inline std::string comparable(bj::object const& document) {
  return json::to_sorted_text(comparable_part(document));
}

}  // namespace whence::schema::test
