#include "queries/cypher/run/predicates.hpp"

#include "queries/cypher/run/evaluate.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

bool has_labels(Value const& value, std::vector<std::string> const& labels) {
  auto const* node = value.find_node();
  if (node == nullptr) return false;
  return std::ranges::all_of(labels, [&](std::string const& name) {
    auto const label = node->graph->find_label(name);
    return label && node->graph->has_label(node->id, *label);
  });
}

}  // namespace

bool has_properties(Value const& entity, Map const& expected, RunState& state) {
  return std::ranges::all_of(expected, [&](Map::value_type const& entry) {
    auto const same = equals(property_of(entity, entry.first, state, {}), entry.second);
    return same && *same;
  });
}

bool holds(Predicate const& predicate, Row& row, RunState& state) {
  switch (predicate.kind) {
    case Predicate::Kind::condition:
      return is_true(*predicate.expression, row, state);
    case Predicate::Kind::labels:
      return has_labels(row[predicate.slot], *predicate.labels);
    case Predicate::Kind::bound_node:
      return row[predicate.slot].find_node() != nullptr;
    case Predicate::Kind::properties:
      break;
  }
  auto const& entity = row[predicate.slot];
  if (entity.find_node() == nullptr && entity.find_relation() == nullptr) return false;
  auto const expected = evaluate(*predicate.expression, row, state);
  return expected.find_map() != nullptr && has_properties(row[predicate.slot], *expected.find_map(), state);
}

bool is_taken(std::uint64_t relation, std::span<Slot const> slots, Row const& row) {
  return std::ranges::any_of(slots, [&](Slot slot) {
    if (auto const* one = row[slot].find_relation()) return one->id == relation;
    auto const* list = row[slot].find_list();
    return list != nullptr && std::ranges::any_of(*list, [&](Value const& each) {
             return each.find_relation() != nullptr && each.find_relation()->id == relation;
           });
  });
}

}  // namespace whence::queries::cypher
