#pragma once
// The field tables of records from PROV documents of others.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/prov/records.hpp"

#include <tuple>

namespace whence::schema {

inline constexpr Rule prov_name_rule = rules::text(1, limits::prov_name_max);

template <>
struct Describe<ProvRelation> {
  using T = ProvRelation;
  static constexpr auto fields = std::tuple{
      field("relation", &T::relation, Presence::required, rules::any(), "Its name in PROV-JSON, such as `used`."),
      field("id", &T::id, Presence::optional, prov_name_rule, "Its own name as written."),
      field("place", &T::place, Presence::optional, rules::number(0, limits::int32_max),
            "Its place in the array that its name maps to, from 0; absent where that is an object."),
      field("other", &T::other, Presence::optional, rules::any(), "Ref of its object; absent where it has none."),
      field("others", &T::others, Presence::optional, rules::any(), "Refs, where its object is a list."),
      field("further", &T::further, Presence::optional, rules::any(),
            "Refs of the starter, ender, plan, or of a derivation's activity."),
      field("attributes", &T::attributes, Presence::required, rules::any(),
            "Arguments and attributes as PROV-JSON has them."),
  };
};

/// All three have the same members.
struct ProvNodeFields {
  using T = ProvNode;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::id(),
            "Identity: the full IRI, `#bundle=` and the bundle's where it is in one; `sha256-` and 64 hex digits where "
            "that is "
            "no id."),
      field("qname", &T::qname, Presence::required, prov_name_rule, "Its name as written."),
      field("attributes", &T::attributes, Presence::optional, rules::any(),
            "Attributes as PROV-JSON has them, or a list of such; absent where nothing declares it."),
      field("bundle", &T::bundle, Presence::optional, prov_name_rule, "The bundle it is in, as written."),
      field("bundle_iri", &T::bundle_iri, Presence::optional, prov_name_rule, "The same in full."),
      field("prefixes", &T::prefixes, Presence::optional, rules::any(), "IRIs of the prefixes used here."),
      field("is_declared", &T::is_declared, Presence::optional, rules::any(), "False where relations only mention it."),
      field("relations", &T::relations, Presence::optional, rules::any(), "The relations it is the subject of."),
  };
};

template <>
struct Describe<ProvEntity> : ProvNodeFields {};
template <>
struct Describe<ProvActivity> : ProvNodeFields {};
template <>
struct Describe<ProvAgent> : ProvNodeFields {};

}  // namespace whence::schema
