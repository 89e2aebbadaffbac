#pragma once
// A record in a few words, for lists and trees.

#include <string>

#include <boost/json/object.hpp>

namespace whence::net::plain_text {

/// The most descriptive members of a record: "User  memory:project/ripple".
[[nodiscard]] std::string details(boost::json::object const& record);

/// What the record is called or says, in one short line: what a response says where it is known, else the first of its
/// type's label members that it has; empty where it has none. Line breaks are spaces.
[[nodiscard]] std::string label(boost::json::object const& record);

/// The record's own time, or when it was last seen, as RFC 3339; empty where it has neither.
[[nodiscard]] std::string time_of(boost::json::object const& record);

/// `[purged]` or `[expired]` where nothing is left of what a node or a part of one said; else empty.
[[nodiscard]] std::string mark_of_gone(boost::json::object const& part);

/// The details of a node in the wire form, and its status unless that is `active`.
[[nodiscard]] std::string note_of(boost::json::object const& node);

}  // namespace whence::net::plain_text
