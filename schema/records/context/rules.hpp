#pragma once
// Where the context records differ from the defaults: edges, preparation and joined checks.
// A type without an overload has the default named in schema/records/rules.hpp.

#include "schema/checks/rule_types.hpp"
#include "schema/records/context/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

// Edges (links.cpp).
[[nodiscard]] std::vector<Link> links(ContextUnit const& unit);
[[nodiscard]] std::vector<Link> links(Response const& response);
[[nodiscard]] std::vector<Link> links(FeedbackRecord const& feedback);
[[nodiscard]] std::vector<Link> links(Decision const& decision);

/// A revision of a response adds edges, and nothing that it says (rules.cpp).
void fold_into(Response& into, Response&& later);

// One form (check.cpp): uses by the ref of a unit become uses by its id; ids of units given within a response; in
// capture mode weights that sum to 1.
void prepare(Response& response, CheckContext const& context);
/// Before checks: a rating by the ref of a response becomes one by its id.
void prepare(FeedbackRecord& feedback, CheckContext const& context);
/// Before checks: a bare id becomes the ref that it is.
void prepare(Decision& decision, CheckContext const& context);
/// Before checks: bare ids become the refs that they are.
void prepare(Hold& hold, CheckContext const& context);

// Checks that join members (check.cpp). Rules "version_link", "duplicate_source", "duplicate_unit", "duplicate_ref",
// "weight_sum", "hash", "ref", "manifest_mismatch".
void check_joined(ContextUnit const& unit, CheckContext const& context, Path const& root, Report& report);
void check_joined(Response const& response, CheckContext const& context, Path const& root, Report& report);
void check_joined(FeedbackRecord const& feedback, CheckContext const& context, Path const& root, Report& report);
void check_joined(Decision const& decision, CheckContext const& context, Path const& root, Report& report);
void check_joined(Hold const& hold, CheckContext const& context, Path const& root, Report& report);
void check_joined(LineageManifest const& manifest, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
