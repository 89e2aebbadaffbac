#pragma once
// Members of a JSON object that conventions name in several ways.

#include <initializer_list>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

[[nodiscard]] bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names);

/// The first of the members that is there and not null; null: none is. Of `from`.
[[nodiscard]] boost::json::value const* first_of(boost::json::object const& from,
                                                 std::initializer_list<std::string_view> names);

/// The object that a member is; null where it is none, or not there. Of `from`.
[[nodiscard]] boost::json::object const* object_at(boost::json::object const& from, std::string_view name);

/// The text of `first_of`; empty where that is no text, or not there. Of `from`.
[[nodiscard]] std::string_view string_at(boost::json::object const& from,
                                         std::initializer_list<std::string_view> names);

}  // namespace whence::net::capture
