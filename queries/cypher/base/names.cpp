#include "queries/cypher/base/names.hpp"

#include "schema/base/suggest.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

struct KindRow {
  NameKind kind;
  std::string_view rule;
  std::string_view is_unknown;
};

constexpr KindRow kinds[] = {
    {NameKind::label, "unknown_label", "no node can have the label "},
    {NameKind::relation_type, "unknown_relation_type", "no relation can have the type "},
    {NameKind::property, "unknown_property", "no node or relation can have the property "},
    {NameKind::none, "not_comparable", {}},
    {NameKind::cut, "cycle_cut", {}},
};

KindRow const& row_of(NameKind kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::vector<std::string_view> const& NameCatalog::of(NameKind kind) const noexcept {
  switch (kind) {
    case NameKind::label:
      return labels;
    case NameKind::relation_type:
      return relation_types;
    case NameKind::property:
    case NameKind::none:
    case NameKind::cut:
      break;
  }
  return properties;
}

std::string_view rule_of(NameKind kind) noexcept {
  return row_of(kind).rule;
}

std::vector<Notice> notices_of(std::vector<NameUse> const& uses, NameCatalog const& catalog) {
  std::vector<Notice> made;
  for (auto const& use : uses) {
    auto const& known = catalog.of(use.kind);
    if (made.size() == notices_max) break;
    if (std::ranges::find(known, use.name) != known.end()) continue;
    made.push_back({.kind = use.kind,
                    .message = std::string{row_of(use.kind).is_unknown} + "`" + use.name + "`" +
                               schema::did_you_mean(use.name, known),
                    .place = use.place});
  }
  return made;
}

}  // namespace whence::queries::cypher
