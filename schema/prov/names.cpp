// Prefixes of PROV documents.
#include "schema/prov/names.hpp"

#include "schema/base/limits.hpp"
#include "schema/wire/decode.hpp"

#include <algorithm>
#include <array>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view default_prefix = "default";

struct Known {
  std::string_view prefix;
  std::string_view iri;
};
/// Known in every document, declared or not.
constexpr std::array<Known, 2> known_everywhere = {{
    {"prov", "http://www.w3.org/ns/prov#"},
    {"xsd", "http://www.w3.org/2001/XMLSchema#"},
}};

/// The attributes of PROV whose values are times, texts or values, not names.
constexpr std::array<std::string_view, 8> no_arguments = {
    "prov:time", "prov:startTime", "prov:endTime",  "prov:label",
    "prov:type", "prov:role",      "prov:location", "prov:value",
};

struct Split {
  std::string_view prefix;
  std::string_view local;
};

Split split(std::string_view name) {
  auto const colon = name.find(':');
  if (colon == std::string_view::npos) return {default_prefix, name};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

}  // namespace

void Namespaces::read(bj::value const& section, Path const& at, Report& report) {
  auto const* const object = section.if_object();
  if (object == nullptr) return refuse(section, "prov_prefix", at, report, "must be an object of IRIs by prefix");
  for (auto const& member : *object) {
    auto const* const iri = member.value().if_string();
    bool const fits =
        member.key().size() <= limits::prov_name_max && iri != nullptr && iri->size() <= limits::prov_name_max;
    if (fits) {
      own_.emplace(member.key(), *iri);
    } else {
      refuse(member.value(), "prov_prefix", Path{at, member.key()}, report, "must be an IRI of no great length");
    }
  }
}

std::optional<std::string_view> Namespaces::find(std::string_view prefix) const {
  if (auto const found = own_.find(prefix); found != own_.end()) return found->second;
  return outer_ != nullptr ? outer_->find(prefix) : std::nullopt;
}

std::string Namespaces::resolve(std::string_view name) const {
  auto const [prefix, local] = split(name);
  auto iri = find(prefix);
  if (!iri) {
    auto const known = std::ranges::find(known_everywhere, prefix, &Known::prefix);
    if (known == known_everywhere.end()) return std::string{name};
    iri = known->iri;
  }
  return std::string{*iri}.append(local);
}

std::optional<Namespaces::Used> Namespaces::used_by(std::string_view name) const {
  auto const prefix = split(name).prefix;
  auto const iri = find(prefix);
  if (!iri) return std::nullopt;
  return Used{prefix, *iri};
}

void PrefixGatherer::add(std::string_view name) {
  if (auto const used = names_.used_by(name)) used_.emplace(used->prefix, used->iri);
}

void PrefixGatherer::add_all(bj::object const& attributes) {
  for_each_name_in(attributes, [&](std::string_view name) { add(name); });
}

std::optional<PrefixMap> PrefixGatherer::take() const {
  if (used_.empty()) return std::nullopt;
  PrefixMap prefixes;
  for (auto const& [prefix, iri] : used_) prefixes.entries.emplace_back(prefix, iri);
  return prefixes;
}

bool is_prov_argument(std::string_view attribute) noexcept {
  return attribute.starts_with("prov:") && std::ranges::find(no_arguments, attribute) == no_arguments.end();
}

}  // namespace whence::schema::json
