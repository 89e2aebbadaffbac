#pragma once
// Members of an object that may be anybody's: each has the kind that is asked for, or counts as absent.

#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::schema::json {

// What they answer is a part of `of`, or lives as long as the program.

/// The list `name`; an empty one where it is absent.
[[nodiscard]] boost::json::array const& list_at(boost::json::object const& of, std::string_view name) noexcept;

/// The object `name`; an empty one where it is absent.
[[nodiscard]] boost::json::object const& object_at(boost::json::object const& of, std::string_view name) noexcept;

/// The object `name`; null where it is absent.
[[nodiscard]] boost::json::object const* find_object(boost::json::object const& of, std::string_view name) noexcept;

/// The text `name`; empty where it is absent.
[[nodiscard]] std::string_view text_at(boost::json::object const& of, std::string_view name) noexcept;

// A view of what would be gone.
std::string_view text_at(boost::json::object&& of, std::string_view name) = delete;

}  // namespace whence::schema::json
