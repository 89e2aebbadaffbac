#pragma once
// Qualified names of a PROV document: the IRIs of their prefixes, and the prefixes that a record uses.

#include "schema/base/report.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/records/prov/records.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// The prefixes in force in a document or, with those of its document behind its own, in a bundle. Views the parsed
/// document, and the outer one.
class Namespaces {
 public:
  explicit Namespaces(Namespaces const* outer = nullptr) : outer_(outer) {}

  /// Both are viewed. The first meaning of a prefix stays.
  void add(std::string_view prefix, std::string_view iri) { own_.emplace(prefix, iri); }

  /// Reads a `prefix` section. Reports "prov_prefix".
  void read(boost::json::value const& section, Path const& at, Report& report);

  /// The IRI of a name; the name itself where its prefix is not declared.
  [[nodiscard]] std::string resolve(std::string_view name) const;

  /// The prefix that `name` uses with its IRI, where the document declares it.
  struct Used {
    std::string_view prefix;
    std::string_view iri;
  };
  [[nodiscard]] std::optional<Used> used_by(std::string_view name) const;

 private:
  [[nodiscard]] std::optional<std::string_view> find(std::string_view prefix) const;

  Namespaces const* outer_;
  std::map<std::string_view, std::string_view> own_;
};

/// Gathers the prefixes that the names of one record use.
class PrefixGatherer {
 public:
  explicit PrefixGatherer(Namespaces const& names) : names_(names) {}

  void add(std::string_view name);
  /// The names in attributes, arguments of relations included: `prov:…` whose values are names.
  void add_all(boost::json::object const& attributes);
  /// Nothing where no prefix is used.
  [[nodiscard]] std::optional<PrefixMap> take() const;

 private:
  Namespaces const& names_;
  std::map<std::string_view, std::string_view> used_;
};

/// Calls `visit(name)` for each name in attributes, arguments of relations included.
template <class Visit>
void for_each_name_in(boost::json::object const& attributes, Visit const& visit);

/// Whether an attribute of PROV's has a name as its value (`prov:activity`, not `prov:label`).
[[nodiscard]] bool is_prov_argument(std::string_view attribute) noexcept;

// Implementation.

template <class Visit>
void for_each_name_in(boost::json::object const& attributes, Visit const& visit) {
  for_each_prov_name(attributes, visit);
  for (auto const& attribute : attributes) {
    if (!is_prov_argument(attribute.key())) continue;
    if (auto const* const name = attribute.value().if_string()) visit(std::string_view{*name});
    if (auto const* const list = attribute.value().if_array()) {
      for (boost::json::value const& each : *list) {
        if (auto const* const name = each.if_string()) visit(std::string_view{*name});
      }
    }
  }
}

}  // namespace whence::schema::json
