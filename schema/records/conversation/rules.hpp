#pragma once
// Where the conversation records differ from the defaults: identity, revisions, edges and joined checks.
// A type without an overload has the default named in schema/records/rules.hpp.

#include "schema/checks/rule_types.hpp"
#include "schema/records/conversation/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

// Identity of several members, and revisions (rules.cpp).
[[nodiscard]] std::string node_id(Subject const& subject);
void set_node_id(Subject& subject, std::string_view id);
/// The version follows the last "-v"; an id without it is not one of a summary and is kept whole.
void set_node_id(Summary& summary, std::string_view id);
[[nodiscard]] std::string node_id(SystemPromptTemplate const& prompt);
void set_node_id(SystemPromptTemplate& prompt, std::string_view id);
void fold_into(Keyword& into, Keyword&& later);
void fold_into(Subject& into, Subject&& later);

// Edges (links.cpp).
[[nodiscard]] std::vector<Link> links(Message const& message);
[[nodiscard]] std::vector<Link> links(XmlMessageAttachment const& attachment);
[[nodiscard]] std::vector<Link> links(Keyword const& keyword);
[[nodiscard]] std::vector<Link> links(Subject const& subject);
[[nodiscard]] std::vector<Link> links(Summary const& summary);
[[nodiscard]] std::vector<Link> links(SystemPromptTemplate const& prompt);

// Checks that join members (check.cpp). Rules "xml_twice", "required", "blob", "ref", "duplicate_subject",
// "duplicate_keyword", "range", "hash", "summary_id", "version_link".
void check_joined(Topic const& topic, CheckContext const& context, Path const& root, Report& report);
void check_joined(Message const& message, CheckContext const& context, Path const& root, Report& report);
void check_joined(SystemPromptTemplate const& prompt, CheckContext const& context, Path const& root, Report& report);
void check_joined(XmlMessageAttachment const& attachment, CheckContext const& context, Path const& root,
                  Report& report);
void check_joined(Keyword const& keyword, CheckContext const& context, Path const& root, Report& report);
void check_joined(Subject const& subject, CheckContext const& context, Path const& root, Report& report);
void check_joined(Summary const& summary, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
