#pragma once
// Values that came as JSON text, values as text, and members of a JSON object that conventions name in several ways.

#include "schema/base/digest.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// `value`, or what it holds where it is the text of a JSON list or object. A text of more than 200,000 values stays
/// one.
[[nodiscard]] boost::json::value structured(boost::json::value const& value);

/// The text of a value: a text as it is, else its compact JSON; of null empty.
[[nodiscard]] std::string text_of(boost::json::value const& value);

/// The first 32 hex digits of the HMAC-SHA-256 of a value's canonical text: no guess of it can be tried without the
/// key.
[[nodiscard]] std::string hash_of(schema::SecretKey const& key, boost::json::value const& value);

[[nodiscard]] bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names);

/// Whether two names differ in no more than the case of their letters (ASCII).
[[nodiscard]] bool is_same_but_case(std::string_view a, std::string_view b);

/// The first of the members that is there and not null; null: none is. Of `from`.
[[nodiscard]] boost::json::value const* first_of(boost::json::object const& from,
                                                 std::initializer_list<std::string_view> names);

/// As `first_of`, with its name.
[[nodiscard]] boost::json::key_value_pair const* first_member_of(boost::json::object const& from,
                                                                 std::initializer_list<std::string_view> names);

/// Sets a member to what is left of it; one of which nothing is left goes.
void keep_rest(boost::json::object& of, std::string_view name, boost::json::value left);

/// Whether a value is a list of texts, and has one.
[[nodiscard]] bool are_texts(boost::json::value const& value);

/// The object that a member is; null where it is none, or not there. Of `from`.
[[nodiscard]] boost::json::object const* object_at(boost::json::object const& from, std::string_view name);

/// The text of `first_of`; empty where that is no text, or not there. Of `from`.
[[nodiscard]] std::string_view string_at(boost::json::object const& from,
                                         std::initializer_list<std::string_view> names);

}  // namespace whence::net::capture
