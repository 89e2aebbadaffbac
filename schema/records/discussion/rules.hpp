#pragma once
// Where the discussion records differ from the defaults: identity, revisions, edges, joined checks.
// A type without an overload has the default named in schema/records/rules.hpp.

#include "schema/checks/rule_types.hpp"
#include "schema/records/discussion/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

// Identity of several members, and revisions (rules.cpp).
[[nodiscard]] std::string node_id(Discussion const& discussion);
void set_node_id(Discussion& discussion, std::string_view id);
[[nodiscard]] std::string node_id(DiscussionRound const& round);
/// Names the speakers too: their turns follow from the number of the round.
void set_node_id(DiscussionRound& round, std::string_view id);
[[nodiscard]] std::string node_id(SummaryEntry const& summary);
void set_node_id(SummaryEntry& summary, std::string_view id);
/// A round gains the responses, the questions and the answers of `later`.
void fold_into(DiscussionRound& into, DiscussionRound&& later);

// Edges (links.cpp).
[[nodiscard]] std::vector<Link> links(DiscussionRound const& round);
[[nodiscard]] std::vector<Link> links(SummaryEntry const& summary);

// Checks that join members (check.cpp). Rules "persona", "turn", "blank", "rounds", "future".
void prepare(DiscussionRound& round, CheckContext const& context);
void check_joined(DiscussionRound const& round, CheckContext const& context, Path const& root, Report& report);
void check_joined(SummaryEntry const& summary, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
