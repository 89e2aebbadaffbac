#pragma once
// Where the records of PROV documents differ from the defaults: edges and joined checks, one form for all three.
// A type without an overload has the default named in schema/records/rules.hpp.

#include "schema/checks/rule_types.hpp"
#include "schema/records/prov/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

// Edges (links.cpp).
/// The value of each says which of the relations it is that have its type and its other end, from 0.
[[nodiscard]] std::vector<Link> links(ProvNode const& node);

// Checks that join members (check.cpp). Rules "required", "declared", "bundle", "relation", "ref", "other_twice",
// "place", "type".
void prepare(ProvNode& node, CheckContext const& context);
void check_joined(ProvNode const& node, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
