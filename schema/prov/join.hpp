#pragma once
// What several documents say of one thing, as one record: attributes of PROV are sets of values, relations add up.

#include "schema/records/prov/records.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace whence::schema::json {

struct ProvJoined {
  ProvNode node;
  /// JSON Pointers into `node` of what its documents cannot both be right about. Usually empty.
  std::vector<std::string> contradictions = {};
};

/// Joins what is known of a thing with what another document says of it: two nodes of one id. The order of the two
/// makes no difference but to the order of relations, which only grows: those of `known` come first.
///
/// - A mere mention says nothing beside what describes the thing; of two, one name stays.
/// - Each attribute has the values of both, each once. Values are equal where PROV takes them for one: `5` and a typed
///   "5", `1.0` and a typed "1.0", a text and a typed one.
/// - Times that differ are a contradiction: then `attributes` is a list, with the times that were said together,
///   and what was said beside them, in one item; what was said without a time is in the first.
/// - A relation without a name that says the same as another is that one. One with the name and the objects of another
///   adds what it says to that, unless an argument or a time that both give differs: that is a contradiction, and each
///   is kept.
/// - A derivation that names its activity by its generation alone has what that generation says as a further cause.
/// - A prefix that means another IRI in each of the two is renamed.
[[nodiscard]] ProvJoined join_prov(ProvNode known, ProvNode given);

/// What a program that wrote a node says of it now, whole, where known relations that it no longer names stay if
/// `is_there` says so of their object: an edge says what its relation says.
template <class IsThere>
[[nodiscard]] ProvNode grown_prov(ProvNode const& known, ProvNode given, IsThere const& is_there);

/// Leaves out relations without a name that say the same as one before them. The places that those kept had; empty
/// where all are.
std::vector<std::uint32_t> drop_repeated(std::vector<ProvRelation>& relations);

// Implementation.

template <class IsThere>
ProvNode grown_prov(ProvNode const& known, ProvNode given, IsThere const& is_there) {
  if (!known.relations) return given;
  auto relations = given.relations.value_or(std::vector<ProvRelation>{});
  auto const named = relations.size();
  for (ProvRelation const& each : *known.relations) {
    bool const is_named = std::any_of(
        relations.begin(), relations.begin() + static_cast<std::ptrdiff_t>(named),
        [&](ProvRelation const& other) { return other.relation == each.relation && other.other == each.other; });
    if (!is_named && each.other && is_there(*each.other)) relations.push_back(each);
  }
  given.relations.reset();
  if (!relations.empty()) given.relations = std::move(relations);
  return given;
}

}  // namespace whence::schema::json
