// The edge table, and the lookups made from it.
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <ostream>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Two record types between which an edge type may be, and the influence where it differs from the row's.
struct Ends {
  RecordType from;
  RecordType to;
  std::optional<Influence> influence = {};
};

/// Appends the rules of one row of the catalogue.
template <std::size_t Count>
constexpr void append_rules(std::array<EdgeRule, Count>& rules, std::size_t& count, EdgeType type, Carries carries,
                            Influence influence, std::initializer_list<Ends> ends) {
  for (Ends const& each : ends) {
    rules[count++] = {type, each.from, each.to, carries, each.influence.value_or(influence)};
  }
}

/// Appends the rules of one relation of PROV.
template <std::size_t Count>
constexpr void append_relation_rules(std::array<EdgeRule, Count>& rules, std::size_t& count, EdgeType type,
                                     Influence influence) {
  for (RecordTypeInfo const& from : record_types()) {
    if (!from.is_prov) continue;
    for (RecordTypeInfo const& to : record_types()) {
      if (to.is_node) rules[count++] = {type, from.type, to.type, Carries::relation, influence};
    }
  }
}

/// All rules at the front of an array that has room for more, and how many they are.
constexpr auto gather_rules() {
  using enum RecordType;
  constexpr std::size_t room = 4096;
  std::pair<std::array<EdgeRule, room>, std::size_t> result = {};
  auto& [rules, count] = result;
#define WHENCE_ROW(number, enumerator, name, carries, influence, ...) \
  append_rules(rules, count, EdgeType::enumerator, Carries::carries, Influence::influence, {__VA_ARGS__});
  WHENCE_OWN_EDGE_TYPES(WHENCE_ROW)
#undef WHENCE_ROW
#define WHENCE_ROW(number, enumerator, name, influence) \
  append_relation_rules(rules, count, EdgeType::enumerator, Influence::influence);
  WHENCE_PROV_EDGE_TYPES(WHENCE_ROW)
#undef WHENCE_ROW
  return result;
}

constexpr auto rules_table = [] {
  constexpr auto gathered = gather_rules();
  std::array<EdgeRule, gathered.second> rules = {};
  std::copy_n(gathered.first.begin(), rules.size(), rules.begin());
  return rules;
}();

/// Indexed by `EdgeType`; empty where a number has no name of its own.
constexpr auto names = [] {
  std::array<std::string_view, edge_type_count> result = {};
#define WHENCE_NAME(number, enumerator, name, ...) result[number] = name;
  WHENCE_OWN_EDGE_TYPES(WHENCE_NAME)
  WHENCE_PROV_EDGE_TYPES(WHENCE_NAME)
#undef WHENCE_NAME
  return result;
}();

consteval bool variants_fit() {
  for (std::size_t number = 1; number < edge_type_count; ++number) {
    auto const type = static_cast<EdgeType>(number);
    bool const is_variant = named_type(type) != type;
    if (is_variant == !names[number].empty()) return false;
  }
  return std::ranges::all_of(rules_table, [](EdgeRule const& rule) {
    bool const has_variant = rule.carries == Carries::relation && rule.influence != Influence::none;
    return relation_variant_of(rule.type).has_value() == has_variant;
  });
}
static_assert(variants_fit(), "a number has a name or is that of a variant; relations with influence have one");

/// Influence by (edge type, `from` type), so that building the graph needs no search per edge.
using InfluenceTable = std::array<std::array<Influence, record_type_count>, edge_type_count>;

consteval InfluenceTable make_influence_table() {
  InfluenceTable result = {};
  for (EdgeRule const& rule : rules_table) {
    result[static_cast<std::size_t>(rule.type)][static_cast<std::size_t>(rule.from)] = rule.influence;
    if (!has_basis_variants(rule.type)) continue;
    for_each_variant(rule.type, [&](EdgeType variant) {
      if (is_relation_variant(variant)) return;
      result[static_cast<std::size_t>(variant)][static_cast<std::size_t>(rule.from)] = rule.influence;
    });
  }
  return result;
}

consteval std::array<Carries, edge_type_count> make_carries_table() {
  std::array<Carries, edge_type_count> result = {};
  for (EdgeRule const& rule : rules_table) {
    result[static_cast<std::size_t>(rule.type)] = rule.carries;
    for_each_variant(rule.type, [&](EdgeType variant) { result[static_cast<std::size_t>(variant)] = rule.carries; });
  }
  return result;
}

constexpr InfluenceTable influence_table = make_influence_table();
constexpr std::array<Carries, edge_type_count> carries_table = make_carries_table();

}  // namespace

std::span<EdgeRule const> edge_rules() noexcept {
  return rules_table;
}

std::string_view name_of(EdgeType type) noexcept {
  auto const named = static_cast<std::size_t>(named_type(type));
  BOOST_ASSERT(named < names.size());
  return names[named];
}

std::optional<EdgeType> find_edge_type(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  auto const* const found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<EdgeType>(found - names.begin());
}

Carries carried_by(EdgeType type) noexcept {
  return carries_table[static_cast<std::size_t>(type)];
}

Influence influence_of(EdgeType type, RecordType from) noexcept {
  return influence_table[static_cast<std::size_t>(type)][static_cast<std::size_t>(from)];
}

std::ostream& operator<<(std::ostream& out, EdgeType type) {
  return out << name_of(type);
}

}  // namespace whence::schema
